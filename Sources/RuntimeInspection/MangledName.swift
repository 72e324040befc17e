/// The readable name of a type that the compiler mangled, in the metadata of captures and
/// extensions.
///
/// The parser knows the operators of common types: classes, structs and enums with their arguments,
/// optionals, tuples, functions, existentials, and references that are weak, unowned or to a
/// variable.
struct MangledName {
  private enum Part {
    case type(String)
    case context(UInt)
    case mark
    case list
  }

  /// The name; nil if the parser does not know one of the operators.
  let text: String?

  init(at address: UInt, _ memory: ProcessMemory, _ names: TypeNames) {
    var parser = Parser(memory: memory, names: names, address: address)
    text = parser.parse()
  }

  private struct Parser {
    let memory: ProcessMemory
    let names: TypeNames
    var address: UInt
    var stack: [Part] = []
    /// The types to which a later operator may refer by their index.
    var earlier: [Part] = []

    private static let standard: [UInt8: String] = [
      "a": "Array", "b": "Bool", "D": "Dictionary", "d": "Double", "f": "Float", "h": "Set",
      "i": "Int", "J": "Character", "N": "ClosedRange", "n": "Range", "O": "ObjectIdentifier",
      "P": "UnsafePointer", "p": "UnsafeMutablePointer", "R": "UnsafeBufferPointer",
      "r": "UnsafeMutableBufferPointer", "S": "String", "s": "Substring", "u": "UInt",
      "V": "UnsafeRawPointer", "v": "UnsafeMutableRawPointer", "q": "Optional",
    ].reduce(into: [:]) { $0[$1.key.utf8.first!] = "Swift.\($1.value)" }

    mutating func parse() -> String? {
      while let byte = next(), byte != 0 {
        guard step(byte) else { return nil }
      }
      return stack.count == 1 ? popType() : nil
    }

    private mutating func next() -> UInt8? {
      let byte = memory.value(at: address, as: UInt8.self)
      address += 1
      return byte
    }

    private mutating func popType() -> String? {
      switch stack.popLast() {
      case .type(let text): text
      case .context(let descriptor): names.name(ofContext: descriptor)
      default: nil
      }
    }

    private mutating func step(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x01, 0x02:
        let place = address
        address += 4
        guard let target = memory.target(at: place),
          let descriptor = byte == 0x01 ? target : memory.word(at: target)
        else { return false }
        push(.context(descriptor))
        return true
      case UInt8(ascii: "S"): return takeStandard()
      case UInt8(ascii: "A"): return repeatTypes()
      case UInt8(ascii: "I"): return takeLoweredFunction()
      case UInt8(ascii: "c"): return makeFunction()
      // The attributes of a function, such as throws and async, are ignored.
      case UInt8(ascii: "K"): return true
      case UInt8(ascii: "Y"): return next() != nil
      case UInt8(ascii: "y"):
        stack.append(.list)
        return true
      case UInt8(ascii: "_"):
        return takeUnderscore()
      case UInt8(ascii: "G"): return bindArguments()
      case UInt8(ascii: "t"): return makeTuple()
      case UInt8(ascii: "p"): return makeExistential()
      case UInt8(ascii: "X"): return takeReference()
      default: return false
      }
    }

    /// Pushes a type to which a later operator may refer.
    private mutating func push(_ part: Part) {
      stack.append(part)
      earlier.append(part)
    }

    /// Pushes earlier types. Each letter is the index of one; a capital letter is the last.
    private mutating func repeatTypes() -> Bool {
      while let letter = next() {
        let isLast = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= letter
        let index = Int(letter) - Int(isLast ? UInt8(ascii: "A") : UInt8(ascii: "a"))
        guard earlier.indices.contains(index) else { return false }
        stack.append(earlier[index])
        if isLast { return true }
      }
      return false
    }

    /// Skips the attributes of a lowered function type, up to a "_", and replaces the types before
    /// them by "function".
    private mutating func takeLoweredFunction() -> Bool {
      while let byte = next() {
        if byte == UInt8(ascii: "_") {
          stack = [.type("function")]
          return true
        }
        if byte == 0 { return false }
      }
      return false
    }

    /// Joins the result and the parameters, which follow it, to a function type.
    private mutating func makeFunction() -> Bool {
      guard let parameters = popTypeOrNothing(), let result = popTypeOrNothing() else {
        return false
      }
      stack.append(
        .type("\(parameters.hasPrefix("(") ? parameters : "(\(parameters))") -> \(result)"))
      return true
    }

    private mutating func popTypeOrNothing() -> String? {
      guard case .list = stack.last else { return popType() }
      stack.removeLast()
      return "()"
    }

    private mutating func takeStandard() -> Bool {
      guard let letter = next() else { return false }
      if letter == UInt8(ascii: "g") {
        guard let wrapped = popType() else { return false }
        push(.type("Swift.Optional<\(wrapped)>"))
        return true
      }
      guard let name = Self.standard[letter] else { return false }
      stack.append(.type(name))
      return true
    }

    /// Pushes a mark after the first element of a list; skips a "_" that ends an existential or a
    /// variable.
    private mutating func takeUnderscore() -> Bool {
      switch memory.value(at: address, as: UInt8.self) {
      case UInt8(ascii: "p"), UInt8(ascii: "X"): return true
      default:
        stack.append(.mark)
        return true
      }
    }

    private mutating func bindArguments() -> Bool {
      var arguments: [String] = []
      while let last = stack.last {
        switch last {
        case .list:
          stack.removeLast()
          return bind(arguments.reversed())
        case .mark: stack.removeLast()
        default:
          guard let argument = popType() else { return false }
          arguments.append(argument)
        }
      }
      return false
    }

    private mutating func bind(_ arguments: [String]) -> Bool {
      switch stack.popLast() {
      case .context(let descriptor):
        push(.type(names.name(ofContext: descriptor, arguments: arguments)))
      case .type(let name):
        push(.type("\(name)<\(arguments.joined(separator: ", "))>"))
      default: return false
      }
      return true
    }

    /// Joins the elements of a tuple. The first element is before a mark, the others are after it.
    private mutating func makeTuple() -> Bool {
      guard case .list = stack.last else { return popElements() }
      stack[stack.count - 1] = .type("()")
      return true
    }

    private mutating func popElements() -> Bool {
      var elements: [String] = []
      while let last = stack.last {
        if case .mark = last {
          stack.removeLast()
          guard let first = popType() else { return false }
          elements.append(first)
          stack.append(.type("(\(elements.reversed().joined(separator: ", ")))"))
          return true
        }
        guard let element = popType() else { return false }
        elements.append(element)
      }
      return false
    }

    private mutating func makeExistential() -> Bool {
      if case .list = stack.last {
        stack[stack.count - 1] = .type("Any")
        return true
      }
      guard let name = popType() else { return false }
      stack.append(.type(name))
      return true
    }

    private mutating func takeReference() -> Bool {
      let kind = next()
      if kind == UInt8(ascii: "l"), case .list = stack.last {
        stack[stack.count - 1] = .type("Swift.AnyObject")
        return true
      }
      guard let referent = popType() else { return false }
      switch kind {
      case UInt8(ascii: "w"): stack.append(.type("weak \(referent)"))
      case UInt8(ascii: "o"): stack.append(.type("unowned \(referent)"))
      case UInt8(ascii: "u"): stack.append(.type("unowned(unsafe) \(referent)"))
      case UInt8(ascii: "b"), UInt8(ascii: "x"): stack.append(.type("variable \(referent)"))
      default: return false
      }
      return true
    }
  }
}
