/// Classes in need of a factory, in every place that a class may have.
class Document {}

final class Letter: Document {}
private final class Draft: Document {}

/// One that only others inherit from.
class Bound: Document {}

extension Bound {
  final class Book: Bound {}
}

final class Form<Content>: Document {}

protocol Printable {}

extension Letter: Printable {}
extension Draft: Printable {}

actor Printer: Printable {}
