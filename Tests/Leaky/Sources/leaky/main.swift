import CJumps
import Foundation
import Screens

let arguments = CommandLine.arguments.dropFirst()
print("The program was given \(arguments.joined(separator: " ")).")

switch arguments.first {
case "leak":
  for _ in 0..<3 { leakScreen() }
case "fail":
  exit(3)
case "fail-and-leak":
  leakScreen()
  exit(3)
case "trap":
  fatalError("as asked")
case "leave":
  _exit(0)  // Skips the search for leaks.
case "daemon":
  // A child that outlives the program, holds its output and is not searched for leaks.
  let daemon = Process()
  daemon.executableURL = URL(filePath: "/bin/sleep")
  daemon.arguments = ["600"]
  try daemon.run()
case "leave-after-child":
  let child = Process()
  child.executableURL = URL(filePath: CommandLine.arguments[0])
  try child.run()
  child.waitUntilExit()
  _exit(0)
case "jump":
  jump_out_of_frames()
case "use-after-free":
  let pointer = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  pointer.initialize(to: 1)
  pointer.deallocate()
  print(pointer.pointee)
default:
  break
}
