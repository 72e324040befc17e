import CShims

/// Makes the optimizer believe that `value` is used.
@inline(__always)
func consume(_ value: Int) {
  cws_consume(value)
}
