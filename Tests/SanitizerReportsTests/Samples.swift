import Foundation
import SanitizerReports
import Testing

/// What the sanitizers wrote of the fixture `Tests/Leaky`; folders have other names there.
func sample(_ name: String) throws -> String {
  let url = try #require(
    Bundle.module.url(forResource: name, withExtension: "txt", subdirectory: "Reports"))
  return try String(contentsOf: url, encoding: .utf8)
}

/// Of one process.
func report(_ text: String) -> SanitizerReport {
  var report = SanitizerReport()
  report.add(text)
  return report
}

/// What LeakSanitizer writes last.
func lookedThrough(_ process: Int) -> String {
  "==\(process)==Thread T0/\(process) was created by T-1\n    <empty stack>\n"
}

/// Two screens leaked, from the package's own code and a dependency's.
let screens = report(
  """
  ==12==ERROR: LeakSanitizer: detected memory leaks

  Direct leak of 64 byte(s) in 2 object(s) allocated from:
      #0 0x55d7 in malloc /build/asan_malloc_linux.cpp:67:3
      #1 0x7f5e in swift_allocObject (/usr/lib/libswiftCore.so+0x46fdc6) (BuildId: b521f2)
      #2 0x55d8 in Screen.__allocating_init() /package/Sources/App/My "Screen".swift
      #3 0x55d9 in open() /package/Sources/App/My "Screen".swift:12:16
      #4 0x55da in run() /package/.build/checkouts/loop/Loop.swift:7:1

  SUMMARY: AddressSanitizer: 64 byte(s) leaked in 2 allocation(s).

  """ + lookedThrough(12))

let package = SourceRoot("/package")
