import Darwin
import Synchronization

// What is wrong on an Apple platform: a type that is too new, a thread that is no pointer as on
// Linux, a function that only Linux has, a missing import.
func numbers(_ numbers: InlineArray<3, Int>) {}  // error
func start(_ thread: UnsafeMutablePointer<pthread_t>) {
  pthread_create(thread, nil, { _ in nil }, nil)  // error
}
func number() -> Int32 { gettid() }  // error
func pool() { autoreleasepool {} }  // error
