/// One line of a stack: a function, and where it is if the sanitizer could tell.
package struct StackFrame: Hashable, Sendable {
  package var function: String
  /// Of the source, as the compiler was given it.
  package var file: String?
  package var line: Int?
  package var column: Int?
  /// The file of the library or program, where no source is known.
  package var image: String?

  package init(
    function: String, file: String? = nil, line: Int? = nil, column: Int? = nil,
    image: String? = nil
  ) {
    self.function = function
    self.file = file
    self.line = line
    self.column = column
    self.image = image
  }
}

extension StackFrame {
  /// From `    #3 0x5579e3784058 in function /path/File.swift:13:19` or `… in function
  /// (/path/library.so+0x46fa6e) (BuildId: …)`; `nil` if the line is no frame.
  init?(sanitizerLine: Substring) {
    let line = sanitizerLine.drop { $0 == " " }
    guard line.first == "#" else { return nil }
    let words = line.dropFirst().split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0].allSatisfy(\.isNumber), words[1].hasPrefix("0x") else {
      return nil
    }
    let rest = words[2].hasPrefix("in ") ? words[2].dropFirst(3) : words[2]
    if let start = rest.firstIndex(of: " (/") ?? (rest.hasPrefix("(/") ? rest.startIndex : nil) {
      let name = rest[..<start]
      self.init(
        function: name.isEmpty ? "an unnamed function" : String(name),
        image: Self.image(rest[start...]))
    } else {
      // A path may hold spaces; a name in front of a path that is not absolute ends at the last one.
      let end = rest.firstIndex(of: " /") ?? rest.lastIndex(of: " ") ?? rest.endIndex
      self.init(function: String(rest[..<end]))
      setPlace(rest[end...].dropFirst())
    }
  }

  /// What is between the parenthesis and the offset.
  private static func image(_ text: Substring) -> String {
    let path = text.drop { $0 == " " || $0 == "(" }
    return String(path[..<(path.firstIndex(of: "+0x") ?? path.endIndex)])
  }

  /// From `path`, `path:line` or `path:line:column`.
  private mutating func setPlace(_ text: Substring) {
    var path = text
    var numbers: [Int] = []
    while numbers.count < 2, let colon = path.lastIndex(of: ":"),
      let number = Int(path[path.index(after: colon)...]), number > 0
    {
      numbers.insert(number, at: 0)
      path = path[..<colon]
    }
    file = path.isEmpty ? nil : String(path)
    line = numbers.first
    column = numbers.count == 2 ? numbers[1] : nil
  }
}

extension Substring {
  /// Where the first of these texts begins.
  fileprivate func firstIndex(of text: String) -> Index? { firstRange(of: text)?.lowerBound }
}
