"""What a file says to its reader: comments, messages and paragraphs, for scripts/test-language."""

import bisect
import collections
import functools
import io
import re
import tokenize
import unicodedata

# A run of text: its numbered lines, which are matched as one, so that a phrase may span two.
Piece = collections.namedtuple("Piece", "lines")
Token = collections.namedtuple("Token", "kind text line")
LANGUAGES = {".swift": "swift", ".c": "c", ".h": "c", ".cpp": "c", ".hpp": "c", ".java": "c",
             ".py": "python", ".sh": "shell", ".awk": "hash", ".yml": "hash",
             ".md": "markdown", ".patch": "patch"}


class Unreadable(Exception):
    """A table or a source file that cannot be read."""


@functools.cache
def text_of(path):
    """The text of a file. `text_of.cache_clear()` forgets all texts."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path}: {error}") from error


def language_of(package, path):
    """A value of LANGUAGES, or None. The first line of a script without a suffix decides."""
    if path.suffix:
        return LANGUAGES.get(path.suffix)
    if path.parts[0] not in ("scripts", ".ci"):
        return None
    program = text_of(package / path).partition("\n")[0].rpartition("/")[2]
    return "python" if "python" in program else "shell" if program.endswith("sh") else None


def displayed_width(line):
    """Columns that a terminal or an editor uses."""
    return sum(0 if unicodedata.combining(sign) else
               2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in line)


SWIFT = re.compile(
    r"(?P<space>\s+)|(?P<comment>//[^\n]*)|(?P<block>/\*)"
    r'|(?P<string>(?P<hashes>#*)(?P<quote>"""(?=[ \t]*\n)|"))'
    r"|`(?P<raw>[^`\n]+)`|(?P<word>[@#]?[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<other>.)", re.S)


class SwiftLexer:
    """The tokens of a Swift file: comments, strings, words and signs."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.starts = [0] + [match.end() for match in re.finditer("\n", text)]
        self.tokens = []
        self.scan(0, None)

    def line(self, position):
        return bisect.bisect_right(self.starts, position)

    def scan(self, position, closing):
        """Reads until the end, or until the parenthesis that closes an interpolation."""
        depth = 0
        while position < len(self.text):
            match = SWIFT.match(self.text, position)
            kind, line = match.lastgroup, self.line(position)
            if match["string"]:
                position = self.string(match)
                continue
            if match["block"]:
                position = self.block(position)
                continue
            position = match.end()
            if kind == "space":
                continue
            if closing and match[0] == "(":
                depth += 1
            elif closing and match[0] == ")":
                if depth == 0:
                    return position
                depth -= 1
            self.tokens.append(Token(kind, match["raw"] or match[0], line))
        if closing:
            raise Unreadable(f"{self.path}: an interpolation does not end")
        return position

    def block(self, start):
        depth, position = 0, start
        for match in re.finditer(r"/\*|\*/", self.text[start:]):
            depth += 1 if match[0] == "/*" else -1
            if depth == 0:
                position = start + match.end()
                break
        else:
            raise Unreadable(f"{self.path}:{self.line(start)}: a comment does not end")
        self.tokens.append(Token("block", self.text[start:position], self.line(start)))
        return position

    def string(self, match):
        """Appends the string as one token, an ellipsis in the place of each interpolation."""
        end, escape = match["quote"] + match["hashes"], "\\" + match["hashes"]
        start = position = match.end()
        index = len(self.tokens)
        self.tokens.append(None)
        parts = []
        while True:
            if position >= len(self.text) or (match["quote"] == '"' and self.text[position] == "\n"):
                raise Unreadable(f"{self.path}:{self.line(start)}: a string does not end")
            if self.text.startswith(end, position):
                break
            if self.text.startswith(escape + "(", position):
                inner = position + len(escape) + 1
                position = self.scan(inner, ")")
                parts.append("…" + "\n" * self.text.count("\n", inner, position))
            elif self.text.startswith(escape, position):
                following = self.text[position + len(escape)]
                parts.append("\n" if following == "\n" else " ")
                position += len(escape) + 1
            else:
                parts.append(self.text[position])
                position += 1
        self.tokens[index] = Token("string", "".join(parts), self.line(start))
        return position + len(end)


COMMENT_MARK = re.compile(r"^\s*(?:///?|/\*\*?|\*(?!/)|#+:?)?\s?|\s*\*/\s*$")


def comment_pieces(comments):
    """Paragraphs of numbered comment lines. Code blocks in them are left out."""
    piece, fenced, previous = [], False, None
    for number, text in comments:
        body = COMMENT_MARK.sub("", text)
        is_fence = body.lstrip().startswith("```")
        fenced ^= is_fence
        if piece and (previous != number - 1 or not body.strip() or is_fence):
            yield Piece(piece)
            piece = []
        if body.strip() and not fenced and not is_fence:
            piece.append((number, body))
        previous = number
    if piece:
        yield Piece(piece)


def string_piece(number, text):
    """None for a string without a space, which is a name rather than a message."""
    if not re.search(r"\S\s+\S", text):
        return None
    return Piece(list(enumerate(text.split("\n"), number)))


class Text:
    """What a file says to a reader: pieces for the glossary, and the lines of its comments."""

    def __init__(self, package, path):
        self.path, self.source = path, text_of(package / path)
        self.pieces, self.comments, self.tokens = [], [], []
        language = language_of(package, path)
        if language:
            getattr(self, language)()

    def add(self, comments, strings):
        self.comments = comments
        self.pieces += comment_pieces(comments)
        self.pieces += filter(None, (string_piece(*item) for item in strings))

    def swift(self):
        self.tokens = SwiftLexer(self.path, self.source).tokens
        comments, strings = [], []
        for token in self.tokens:
            if token.kind in ("comment", "block"):
                comments += enumerate(token.text.split("\n"), token.line)
            elif token.kind == "string":
                strings.append((token.line, token.text))
            elif token.kind == "raw" and " " in token.text:
                strings.append((token.line, token.text))
        self.add(comments, strings)

    def c(self):
        comments, strings = [], []
        pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
        for match in pattern.finditer(self.source):
            line = self.source.count("\n", 0, match.start()) + 1
            if match[0].startswith("/"):
                comments += enumerate(match[0].split("\n"), line)
            elif match[0].startswith('"'):
                strings.append((line, match[0][1:-1].replace("\\n", " ")))
        self.add(comments, strings)

    def python(self):
        comments, strings, is_statement = [], [], True
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.source).readline):
                if token.type == tokenize.COMMENT:
                    comments.append((token.start[0], token.string))
                elif token.type == tokenize.STRING:
                    prefix, quote = re.match(r"(\w*)(\"\"\"|'''|\"|')", token.string).groups()
                    body = token.string[len(prefix) + len(quote):-len(quote)]
                    if is_statement:
                        comments += enumerate(body.split("\n"), token.start[0])
                    elif "r" not in prefix.lower():
                        body = re.sub(r"\{[^{}]*\}", "…", body) if "f" in prefix.lower() else body
                        strings.append((token.start[0], body.replace("\\n", " ")))
                if token.type not in (tokenize.COMMENT, tokenize.NL):
                    is_statement = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        except (tokenize.TokenError, SyntaxError) as error:
            raise Unreadable(f"{self.path}: {error}") from error
        self.add(comments, strings)

    def shell(self):
        comments, strings, line, position = [], [], 1, 0
        pattern = re.compile(
            r"(?P<escape>\\.)|(?P<comment>(?:(?<=[\s;(])|^)#[^\n]*)|(?P<single>'[^']*')|(?P<double>\")"
            r"|<<-?(?P<here>['\"]?(\w+)['\"]?)|(?P<other>.)", re.S | re.M)
        ends = []
        while position < len(self.source):
            match = pattern.match(self.source, position)
            start, position = line, match.end()
            if match["comment"]:
                comments.append((start, match[0]))
            elif match["single"]:
                strings.append((start, match[0][1:-1]))
            elif match["double"]:
                position = self.shell_string(position, start)
                strings.append((start, self.source[match.end():position - 1]))
            elif match["here"] and not self.source.startswith("<<<", match.start()):
                ends.append(match["here"].strip("'\""))
            elif match[0] == "\n" and ends:
                end = re.compile(rf"^\s*{re.escape(ends.pop(0))}$", re.M).search(self.source, position)
                if not end:
                    raise Unreadable(f"{self.path}:{start}: a here-document does not end")
                strings.append((start + 1, self.source[position:end.start()]))
                position = end.end()
            line += self.source.count("\n", match.start(), position)
        self.add(comments, strings)

    def shell_string(self, position, line):
        """The end of a string in double quotes. A command substitution may hold further ones."""
        depth = 0
        for match in re.finditer(r'\\.|\$\(|[()"]', self.source[position:], re.S):
            if match[0] == "$(" or (match[0] == "(" and depth):
                depth += 1
            elif match[0] == ")" and depth:
                depth -= 1
            elif match[0] == '"' and not depth:
                return position + match.end()
        raise Unreadable(f"{self.path}:{line}: a string does not end")

    def hash(self):
        self.add([(number, match[0]) for number, line in enumerate(self.source.split("\n"), 1)
                  if (match := re.search(r"(?:^|(?<=\s))#.*", line))], [])

    def markdown(self):
        piece, fence = [], None
        for number, line in enumerate(self.source.split("\n"), 1):
            mark = re.match(r"\s*(`{3,}|~{3,})", line)
            if mark and (fence is None or mark[1].startswith(fence)):
                fence = mark[1] if fence is None else None
            starts = mark or not line.strip() or re.match(r"\s*(?:[-*+]|\d+\.|#+|\||>)\s?", line)
            if piece and (starts or fence):
                self.pieces.append(Piece(piece))
                piece = []
            if line.strip() and not mark and fence is None:
                piece.append((number, re.sub(r"\]\([^)\s]*\)|<doc:[^>]*>|<[^>\s]*>", "]", line)))
        if piece:
            self.pieces.append(Piece(piece))

    def patch(self):
        """The description of a seeded fault; the lines below quote the source."""
        for number, line in enumerate(self.source.split("\n"), 1):
            if line.startswith("--- "):
                break
            if line.strip():
                self.pieces.append(Piece([(number, line)]))
