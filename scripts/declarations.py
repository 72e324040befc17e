"""The public and package declarations of Swift sources. `scripts/test-language` uses it.

The parser reads tokens, not types. A declaration is visible if it is public, open or package, and
so is every type that it stands in. The cases of a visible enumeration, the requirements of a
visible protocol and the members of a visible extension have its access. Overrides, `deinit`,
names that begin with `_`, and declarations under `@_spi` or `@_documentation(visibility:)` are
left out. Of `let a, b` only the first name is read. All branches of `#if` are read. A regular
expression literal with a quotation mark confuses the parser.

A declaration without a comment of its own inherits one, as DocC shows it, from a requirement of
the same kind and base name, if its type is declared anywhere to conform to the protocol. Argument
labels are not compared.
"""

import collections
import re

TYPES = ("struct", "class", "enum", "actor", "protocol", "extension")
KEYWORDS = (*TYPES, "func", "var", "let", "init", "subscript", "case", "typealias", "associatedtype",
            "macro", "deinit", "import", "operator", "precedencegroup")
MODIFIERS = ("public", "open", "package", "internal", "private", "fileprivate", "static", "final",
             "override", "mutating", "nonmutating", "nonisolated", "isolated", "indirect", "lazy",
             "weak", "unowned", "required", "convenience", "dynamic", "optional", "consuming",
             "borrowing", "distributed", "prefix", "postfix", "infix", "class", "unsafe")
ACCESS = ("open", "public", "package", "internal", "fileprivate", "private")
VISIBLE = ACCESS[:3]

# What conformances to protocols of the standard library require.
STANDARD = {
    "CaseIterable": {"allCases", "AllCases"}, "Codable": {"encode", "init"}, "Comparable": {"<"},
    "CustomDebugStringConvertible": {"debugDescription"},
    "CustomStringConvertible": {"description"}, "Decodable": {"init"},
    "Encodable": {"encode"}, "Equatable": {"=="}, "Hashable": {"==", "hash", "hashValue"},
    "Identifiable": {"id", "ID"}, "IteratorProtocol": {"next", "Element"},
    "Sequence": {"makeIterator", "Element", "Iterator", "underestimatedCount"},
    "RandomNumberGenerator": {"next"}, "RawRepresentable": {"rawValue", "RawValue"},
}
GROUPS = {"var": "property", "let": "property", "typealias": "type", "associatedtype": "type",
          "struct": "type", "class": "type", "enum": "type", "actor": "type"}

# `documented` is `own`, `inherited` or empty; `owner` is the type, empty at file scope.
Declaration = collections.namedtuple(
    "Declaration", "keyword name line access documented owner is_requirement")



class Scope:
    """What a pair of braces holds: the members of a type, or code."""

    def __init__(self, keyword, name="", is_visible=False, access="internal"):
        self.keyword, self.name, self.is_visible = keyword, name, is_visible
        # Of cases, and of members that say nothing.
        self.case_access = access
        self.member_access = access if keyword in ("protocol", "extension") else "internal"


class Parser:
    """The declarations of one file, in order; its types, and the protocols that they conform to."""

    def __init__(self, tokens, hidden_types=frozenset()):
        self.tokens, self.index, self.hidden_types = tokens, 0, hidden_types
        self.found, self.types = [], {}
        self.conformances = collections.defaultdict(set)
        self.scopes, self.pending = [Scope("file", is_visible=True)], None
        self.depth, self.depths = 0, []
        self.reset()
        while self.index < len(self.tokens):
            self.step()

    def peek(self, offset=0):
        position = self.index + offset
        while position < len(self.tokens) and self.tokens[position].kind in ("comment", "block"):
            position += 1
        return self.tokens[position].text if position < len(self.tokens) else ""

    def skip_parentheses(self):
        """Passes over `(…)` if it is next, and returns its text."""
        if self.peek() != "(":
            return ""
        depth, texts = 0, []
        while self.index < len(self.tokens):
            token = self.tokens[self.index]
            depth += ((token.text == "(") - (token.text == ")")) * (token.kind == "other")
            texts.append(token.text)
            self.index += 1
            if depth == 0:
                break
        return "".join(texts)

    def reset(self):
        """Forgets what preceded a declaration."""
        self.documented, self.modifiers, self.attributes = False, [], []

    def step(self):
        token = self.tokens[self.index]
        self.index += 1
        text = token.text
        if token.kind in ("block", "comment"):
            if re.match(r"///(?!/)|/\*\*", text):
                self.documented = True
            return
        if text == "{" and token.kind == "other":
            is_pending = self.pending is not None and self.depth == 0
            self.scopes.append(self.pending if is_pending else Scope("code"))
            self.depths.append(self.depth)
            self.depth, self.pending = 0, None if is_pending else self.pending
            self.reset()
        elif text == "}" and token.kind == "other":
            if len(self.scopes) > 1:
                self.scopes.pop()
                self.depth = self.depths.pop()
            self.reset()
        elif token.kind == "other" and text in "([":
            self.depth += 1
            self.reset()
        elif token.kind == "other" and text in ")]":
            self.depth -= 1
            self.reset()
        elif self.scopes[-1].keyword == "code" or self.depth or token.kind not in ("word", "raw"):
            self.reset()
            if text == "." and self.peek() in KEYWORDS:
                self.index += 1
        elif text.startswith("@"):
            self.attributes.append(text + self.skip_parentheses())
        elif text.startswith("#"):
            self.reset()
        elif token.kind == "word" and text in KEYWORDS and not self.is_modifier(text):
            self.declare(token)
            self.reset()
        elif token.kind == "word" and text in MODIFIERS:
            argument = self.skip_parentheses()
            if argument != "(set)":
                self.modifiers.append(text)
        else:
            self.reset()

    def is_modifier(self, text):
        """`class func`, and `actor` where it is a name."""
        if text == "class":
            return self.peek() in (*KEYWORDS, *MODIFIERS)
        if text == "actor":
            return not re.match(r"[A-Z]", self.peek())
        return False

    def declare(self, token):
        keyword, scope = token.text, self.scopes[-1]
        if keyword == "case" and scope.keyword != "enum":
            return
        name = self.name(keyword)
        default = scope.case_access if keyword == "case" else scope.member_access
        access = next((word for word in ACCESS if word in self.modifiers), default)
        is_visible = scope.is_visible and not any(
            attribute.startswith(("@_spi", "@_documentation")) for attribute in self.attributes)
        if keyword in TYPES:
            self.open_type(keyword, name, access, is_visible)
        if keyword in ("deinit", "import", "operator", "precedencegroup", "extension"):
            return
        if is_visible and access in VISIBLE and "override" not in self.modifiers:
            for each, line in self.names(keyword, name, token.line):
                if not each.startswith("_"):
                    self.found.append(Declaration(
                        keyword, each, line, access, "own" if self.documented else "", scope.name,
                        scope.keyword == "protocol"))

    def open_type(self, keyword, name, access, is_visible):
        name = name.split(".")[-1]
        self.conformances[name] |= self.inheritance_clause()
        if keyword == "extension":
            is_visible = is_visible and name not in self.hidden_types
        else:
            self.types[name] = min(self.types.get(name, "private"), access, key=ACCESS.index)
            is_visible = is_visible and access in VISIBLE
        self.pending = Scope(keyword, name, is_visible, access)

    def inheritance_clause(self):
        """The words between the colon and the body."""
        words, angles, position = set(), 0, self.index
        is_after_colon = False
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.text in ("{", "where"):
                break
            angles += (token.text == "<") - (token.text == ">")
            is_after_colon |= token.text == ":" and angles == 0
            if is_after_colon and token.kind == "word":
                words.add(token.text)
            position += 1
        return words

    def name(self, keyword):
        if keyword in ("init", "subscript", "deinit"):
            return keyword
        texts = []
        while self.index < len(self.tokens):
            token = self.tokens[self.index]
            is_part = token.kind in ("word", "raw") or (keyword == "extension" and token.text == ".")
            is_operator = keyword == "func" and token.kind == "other" and token.text not in "(<{" or (
                keyword == "func" and texts == [] and token.text == "<")
            if is_operator or (is_part and (not texts or texts[-1] == "." or token.text == ".")):
                texts.append(token.text)
                self.index += 1
            else:
                break
        return "".join(texts)

    def names(self, keyword, name, line):
        """(name, line): several for `case a, b`."""
        yield name, line
        if keyword != "case":
            return
        position, depth, previous = self.index, 0, name
        while position < len(self.tokens):
            token = self.tokens[position]
            depth += (token.text in "([") - (token.text in ")]") if token.kind == "other" else 0
            if depth == 0 and previous == "," and token.kind in ("word", "raw"):
                yield token.text, token.line
            elif depth == 0 and (token.text in "{}" or token.text in ("case", *MODIFIERS, *KEYWORDS)
                                 or token.kind in ("comment", "block") or token.text.startswith("@")):
                return
            if depth < 0:
                return
            previous = token.text
            position += 1


def inherited(found, conformances):
    """The declarations, with those marked that have the comment of a requirement."""
    requirements = collections.defaultdict(set, {name: {("any", each) for each in names}
                                                 for name, names in STANDARD.items()})
    for declaration in found:
        if declaration.is_requirement and declaration.documented:
            group = GROUPS.get(declaration.keyword, declaration.keyword)
            requirements[declaration.owner].add((group, declaration.name))

    def is_inherited(declaration):
        pending, seen = [declaration.owner], set()
        group = GROUPS.get(declaration.keyword, declaration.keyword)
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            if {(group, declaration.name), ("any", declaration.name)} & requirements[name]:
                return True
            pending += conformances.get(name, ())
        return False

    return [declaration._replace(documented="inherited")
            if not declaration.documented and declaration.owner and is_inherited(declaration)
            else declaration for declaration in found]


def declarations(tokens_of):
    """{file: its declarations}, for {file: its tokens} of a whole package."""
    types, conformances = {}, collections.defaultdict(set)
    for tokens in tokens_of.values():
        parser = Parser(tokens)
        for name, access in parser.types.items():
            types[name] = min(types.get(name, "private"), access, key=ACCESS.index)
        for name, words in parser.conformances.items():
            conformances[name] |= words
    hidden = frozenset(name for name, access in types.items() if access not in VISIBLE)
    found = {file: Parser(tokens, hidden).found for file, tokens in tokens_of.items()}
    every = iter(inherited([each for some in found.values() for each in some], conformances))
    return {file: [next(every) for _ in some] for file, some in found.items()}
