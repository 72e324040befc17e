/// A line of a history file; `words` are an operation and its arguments, as JSON without spaces.
func line(
  _ worker: Int, _ call: UInt64, _ end: UInt64?, _ words: String, gives result: String = "null",
  key: String? = nil
) -> String {
  let words = words.split(separator: " ").map(String.init)
  return """
    {"worker":\(worker),"call":\(call),"return":\(end.map { "\($0)" } ?? "null"),\
    "operation":"\(words[0])","key":\(key.map { "\"\($0)\"" } ?? "null"),\
    "arguments":[\(words.dropFirst().joined(separator: ","))],"result":\(result)}
    """
}
