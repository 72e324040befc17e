/// In the place of the standard library's: the examples print what a log of tests need not have.
func print(_ items: Any...) {}
