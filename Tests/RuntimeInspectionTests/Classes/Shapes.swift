/// Classes to be found, in every place that a class may have.
class Shape {}

final class Circle: Shape {}

enum Drawing {
  final class Nested: Shape {}
}

extension Drawing {
  final class Extending: Shape {}
}

extension String {
  final class OfString: Shape {}
}

class GenericShape<Content>: Shape {}
final class NumberShape: GenericShape<Int> {}
final class Labelled<Content>: GenericShape<[Content]> {}

protocol Closable {}

extension Circle: Closable {}

actor Session: Closable {}
