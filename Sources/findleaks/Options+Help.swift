extension Options {
  static let help = """
    Builds a program or the tests with AddressSanitizer, runs them, and tells what leaked.

      swift package leaks [--product NAME] [options] [-- arguments of the program]
      swift package leaks --test [--filter REGEX] [--skip REGEX] [options]
      swift run findleaks …     the same; only this passes exit status 2 on

      --product NAME        the executable to run; may be left out if there is one
      --test                run the tests, of XCTest and of Swift Testing
      --suppressions FILE   known leaks, in LeakSanitizer's format: 'leak:pattern', and above each a
                            comment with the reason; may be repeated
      --junit FILE          write what was found as JUnit XML
      --sarif FILE          write what was found as SARIF 2.1.0
      --build-argument ARG  for swift build and swift test; may be repeated: --build-argument -c
                            --build-argument release
      --package-path PATH   the package; by default the current folder
      --scratch-path PATH   where to build; by default .build/findleaks of the package
      --verbose             what the build prints, all frames, and which suppressions were used

    Exit status: 0 if nothing leaked, 1 if something did, 2 if that is not known: it does not build, it
    crashed or failed, a memory error ended it, no test ran, the options are wrong. Leaks come before
    failed tests: both together are 1. SwiftPM makes 1 of every status of a plugin that is not 0: there
    the last lines tell 1 from 2.

    What is looked at is memory that nothing refers to when the process ends: what is still reachable
    then, as from a global variable or a running task, is not told; nor is what a stored property of an
    XCTestCase leads to, since XCTest never lets go of its test cases. A function that still runs, as
    one that calls exit, may hold an object that it needs no more.

    Linux only: Apple's toolchains have no LeakSanitizer. There, use 'leaks --atExit -- program'; this
    command would need 'swift package --disable-sandbox leaks', because it builds.
    """
}
