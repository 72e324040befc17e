import Measurements
import Reporting

/// What `weakbench compare --help` says beyond the options.
enum CompareHelp {
  static let text = """
    Holds medians of trials against each other: those of BASE and CANDIDATE, two files of `weakbench \
    run`, row by row; or within one file those of every backend against one. Rows belong together if \
    all that was measured is the same: collection, workload, types, threads, size. The verdict on a row is \
    better, same, worse, or undecided if the trials do not tell; the ratio's 95 % interval (bootstrap) \
    and a Mann–Whitney test, corrected for the number of rows, must agree on it. Peers, published \
    designs and baselines are shown and marked; they do not count.

    An interval needs 6 trials a side, better and worse more: 8 for one of 300 rows. So measure with \
    --trials 10, or compare less with --filter.

    Below the noise floor no difference counts. It is what --noise-floor says; else what the A/A run shows \
    whose rows are beside CANDIDATE, or else beside BASE, as rows.noise.csv for rows.csv (weakbench run \
    --noise-floor, or weakbench machine --noise-floor --output rows.noise.csv), at least if it is of the same \
    machine, compiler, allocator and build; else what several processes in one file differ by; else unknown, \
    which the output says.

    STATUS: 65 if a file is damaged, no row is common, or the rows must not be compared; else 1 if a row is \
    worse; else 3 if one of ours is undecided, is missing in the candidate, or none is common, unless \
    --allow-undecided; else 0.

    METRICS: \(MetricColumn.allCases.map(\.rawValue).joined(separator: ", ")). More is better of \
    \(MetricColumn.allCases.filter { !$0.isSmallerBetter }.map(\.rawValue).joined(separator: " and ")), \
    less of the others.

    Rows that differ in these are not compared unless --allow-different says so: \
    \(Aspect.allCases.map(\.rawValue).joined(separator: ", ")). Two files may be of two commits, but each \
    of one; builds other than release count as a difference in configuration.

    BASELINES: --save-baseline NAME keeps a copy of the candidate as .weakbench/NAME.csv of the current \
    directory if all was decided and nothing found worse, or of the one FILE given, comparing nothing. \
    --baseline NAME takes it for BASE.

    EXAMPLES:
      weakbench compare before.csv after.csv
      weakbench compare rows.csv --by backend --base read-write-lock --filter threads=2
      weakbench compare before.csv after.csv --metric allocated_bytes_per_op --threshold 1%
      weakbench compare rows.csv --save-baseline main
      weakbench compare rows.csv --baseline main --format markdown --output comparison.md
    """
}
