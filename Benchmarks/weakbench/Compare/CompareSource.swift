import TerminalIO
import Reporting

/// Whose rows are compared.
enum CompareSource: Equatable {
  case files(base: String, candidate: String)
  case baseline(BaselineName, candidate: String)
  case backends(of: String, base: String)
  /// Nothing is compared, only saved.
  case onlySaved(file: String)

  init(_ options: CompareOptions) throws(CommandError) {
    if let by = options.by, by != "backend" {
      throw .unknown("--by", by, allowed: ["backend"])
    }
    guard options.base == nil || options.by != nil else {
      throw .usage("--base needs --by (allowed: --by backend --base NAME)")
    }
    let files = options.files
    switch (files.count, options.by, options.baseline) {
    case (2, nil, nil):
      self = .files(base: files[0], candidate: files[1])
    case (1, nil, let name?):
      self = .baseline(try BaselineName(name, option: "--baseline"), candidate: files[0])
    case (1, _?, nil) where options.saveBaseline == nil:
      self = .backends(of: files[0], base: options.base ?? "mutex")
    case (1, nil, nil) where options.saveBaseline != nil:
      self = .onlySaved(file: files[0])
    default:
      throw .usage(
        "compare does not know what to compare (allowed: BASE CANDIDATE; --baseline NAME CANDIDATE; "
          + "FILE --by backend; FILE --save-baseline NAME)")
    }
  }

  /// The file that `--save-baseline` saves.
  var candidate: String {
    switch self {
    case .files(_, let candidate), .baseline(_, let candidate): candidate
    case .backends(let file, _), .onlySaved(let file): file
    }
  }

  /// The files of rows, the candidate's first.
  var files: [String] {
    switch self {
    case .files(let base, let candidate): [candidate, base]
    case .baseline(let name, let candidate): [candidate, name.path]
    case .backends(let file, _), .onlySaved(let file): [file]
    }
  }

  var names: ComparisonNames {
    switch self {
    case .files(let base, let candidate): ComparisonNames(base: base, candidate: candidate)
    case .baseline(let name, let candidate):
      ComparisonNames(base: "baseline \(name.name)", candidate: candidate)
    case .backends(let file, let base): ComparisonNames(base: base, candidate: file)
    case .onlySaved(let file): ComparisonNames(base: file, candidate: file)
    }
  }
}
