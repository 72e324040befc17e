import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.io.StreamTokenizer;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One trial of java.util.concurrent.ConcurrentHashMap from Long to Long.
 *
 * <p>The program reads the keys and operations that `benchlab limits` drew, warms the compiler up,
 * and makes the same operations as the benchmark's own workers. It boxes keys and values before the
 * clock starts, one object per key. This is the fastest way to use the map: a found key is
 * identical, and only the map itself allocates. It prints the operations, the nanoseconds, the
 * reads that found nothing, and the values that belonged to other keys.
 */
final class Driver {
  private static final byte READ = 0;
  private static final byte INSERT = 1;

  private final ConcurrentHashMap<Long, Long> map = new ConcurrentHashMap<>();
  private final boolean turnsOver;

  private Driver(boolean turnsOver) {
    this.turnsOver = turnsOver;
  }

  /** One worker thread. */
  private final class Worker extends TimedThread {
    private final Long[] keys;
    private final byte[] operations;
    private final Long[] values;
    private int nextKey;
    private int nextOperation;
    private boolean removesNext;
    private long misses;
    private long wrongValues;

    Worker(Long[] keys, byte[] operations, Long[] values) {
      this.keys = keys;
      this.operations = operations;
      this.values = values;
    }

    @Override
    void reset() {
      misses = 0;
    }

    @Override
    void operate() {
      int key = nextKey;
      int operation = nextOperation;
      for (int count = 0; count < CHUNK; count++) {
        Long drawn = keys[key];
        if (++key == keys.length) key = 0;
        byte kind = operations[operation];
        if (++operation == operations.length) operation = 0;
        if (kind == READ) {
          Long value = map.get(drawn);
          if (value == null) {
            misses++;
          } else {
            check(value, drawn);
          }
        } else if (kind == INSERT && !(turnsOver && !(removesNext = !removesNext))) {
          map.put(drawn, values[drawn.intValue()]);
        } else {
          Long old = map.remove(drawn);
          if (old != null) check(old, drawn);
        }
      }
      nextKey = key;
      nextOperation = operation;
    }

    private void check(Long value, Long key) {
      if (value >> 40 != key) wrongValues++;
    }
  }

  private static int number(StreamTokenizer tokens) throws IOException {
    tokens.nextToken();
    return (int) tokens.nval;
  }

  /**
   * Runs a trial. The argument is a file of numbers: the threads, the range of keys, the prefilled
   * entries, whether every second insert is a removal, the milliseconds of the warm-up and of the
   * timed part; then for each thread the number of keys, the keys, the number of operations and the
   * operations.
   */
  public static void main(String[] arguments) throws Exception {
    Worker[] workers;
    Driver driver;
    int warmup;
    int timed;
    try (BufferedReader reader = new BufferedReader(new FileReader(arguments[0]))) {
      StreamTokenizer tokens = new StreamTokenizer(reader);
      workers = new Worker[number(tokens)];
      int range = number(tokens);
      int prefill = number(tokens);
      driver = new Driver(number(tokens) == 1);
      warmup = number(tokens);
      timed = number(tokens);
      Long[] boxes = new Long[range];
      Long[] values = new Long[range];
      for (int key = 0; key < range; key++) {
        boxes[key] = (long) key;
        values[key] = (long) key << 40;
      }
      for (int key = 0; key < prefill; key++) driver.map.put(boxes[key], values[key]);
      for (int index = 0; index < workers.length; index++) {
        Long[] keys = new Long[number(tokens)];
        for (int key = 0; key < keys.length; key++) keys[key] = boxes[number(tokens)];
        byte[] operations = new byte[number(tokens)];
        for (int next = 0; next < operations.length; next++) {
          operations[next] = (byte) number(tokens);
        }
        workers[index] = driver.new Worker(keys, operations, values);
      }
    }
    TimedThread.time(workers, warmup, timed);
    print(workers);
  }

  private static void print(Worker[] workers) {
    long operations = 0;
    long misses = 0;
    long wrongValues = 0;
    long begin = Long.MAX_VALUE;
    long end = Long.MIN_VALUE;
    for (Worker worker : workers) {
      operations += worker.done;
      misses += worker.misses;
      wrongValues += worker.wrongValues;
      begin = Math.min(begin, worker.begin);
      end = Math.max(end, worker.end);
    }
    System.out.println(operations + " " + (end - begin) + " " + misses + " " + wrongValues);
  }
}
