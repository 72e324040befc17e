/// What `weakbench run --help` says beyond the options.
enum RunHelp {
  static let text = """
    Lists are separated by commas. Without options the standard matrix is run: every workload, with \
    every backend at 1, n, 2n and 4n threads for n usable cores, and with peers and baselines at 1 and n, \
    three times half a second each; on 2 cores it ends within 20 minutes. An option replaces its part of \
    the matrix; with --threads or --backend, peers and baselines are run at every thread count. \
    --quick is three workloads for each collection, at 1 and 4 threads, twice a quarter of a second, \
    without peers.

    Rows go to a new file in the current directory, whose name and the time needed are said first; the \
    table goes to standard output, or to standard error if the rows go to standard output. Ctrl-C keeps \
    the rows of finished trials. A trial whose collection breaks a promise is no row, and the exit \
    status is then 1.

    EXAMPLES:
      weakbench run --quick
      weakbench run --collection dictionary --backend mutex,lock-free
      weakbench run --mix read=95,insert=3,remove=2 --csv rows.csv --append
    """
}
