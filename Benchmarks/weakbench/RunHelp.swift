/// What `weakbench run --help` says beyond the options.
enum RunHelp {
  static let text = """
    Lists are separated by commas. Without options the standard matrix is run: every workload, with \
    every backend at 1, n, 2n and 4n threads for n usable cores, and with peers and baselines at 1 and n, \
    three times 0.44 seconds each; on 2 cores it ends within 20 minutes. An option replaces its part of \
    the matrix; with --threads or --backend, peers and baselines are run at every thread count. \
    --quick is three workloads for each collection, at 1 and 4 threads, twice a quarter of a second, \
    without peers.

    Rows go to a new file in the current directory, whose name and the time needed are said first; the \
    table goes to standard output, or to standard error if the rows go to standard output. Ctrl-C keeps \
    the rows of finished trials. A trial whose collection breaks a promise is no row, and the exit \
    status is then 1.

    --forks N spreads the repetitions over N processes, which differ in where their memory lies: with six or \
    more of them compare holds processes against processes.

    --mode open starts operations when they are due, at random times drawn before, and tells how long they \
    took (service) and how long somebody would have waited (intended). --rate is the same for all backends; \
    --load is percent of what each of them can do, which is found first and said. Without --threads it is run at \
    1 and n threads.

    EXAMPLES:
      weakbench run --quick
      weakbench run --collection dictionary --backend mutex,lock-free
      weakbench run --backend mutex,lock-free --forks 10 --csv rows.csv
      weakbench run --mix read=95,insert=3,remove=2 --csv rows.csv --append
      weakbench run --mode open --backend mutex,lock-free --workload mixed --load 50,90
      weakbench run --mode open --rate 100000 --workload mixed --histograms latencies
    """
}
