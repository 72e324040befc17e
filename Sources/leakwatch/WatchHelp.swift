/// What `leakwatch watch --help` says beyond the options.
enum WatchHelp {
  static let text = """
    FILE is what a program writes whose monitor has the reporter .jsonLines(appendingTo: FILE): a line of \
    JSON for each report. It is followed like a log until you press Ctrl-C or --seconds are over; --once \
    reads what is there. On a terminal a table is drawn meanwhile; at the end it goes to standard output, \
    with the last message of each leak.

    The table has a line for each class, or group of classes with one maximum: how many live, as last \
    reported (with --demo, as counted); how many may; how many of them are leaks; how many leaks died after \
    all; and how the count came to that. Of a survivor the count of its class is not known.

    --baseline FILE is JSON, one entry for each known leak: its fingerprint, the exact number of instances, \
    the reason, and if it is not for ever the last day:

      {"schema": 1, "leaks": [
        {"fingerprint": "excess App.Session", "count": 1,
         "reason": "issue 12", "expires": "2027-01-31"}
      ]}

    More than is known is new; less is stale, so that what is mended stays so; past its day it is expired. \
    --write-baseline writes such a file, to be given reasons.

    STATUS: 0 nothing leaks or, with --baseline, all is as known; 1 something leaks or is new, stale or \
    expired; 2 a file cannot be written; 64 an option or file is not allowed; 65 a file is damaged, and \
    the place is told; 130 interrupted, what was read by then is shown. The demo leaks and ends with 0 unless \
    a baseline says otherwise; so does --write-baseline.

    EXAMPLES:
      leakwatch watch --demo
      leakwatch watch --demo --seconds 3 --html leaks.html
      leakwatch watch leaks.jsonl
      leakwatch watch leaks.jsonl --once --write-baseline known.json
      leakwatch watch leaks.jsonl --once --baseline known.json
    """
}
