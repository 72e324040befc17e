import java.util.concurrent.ConcurrentHashMap;

/**
 * One trial of java.util.concurrent.ConcurrentHashMap in the loop of `benchlab loop`, whose draws
 * are inside: the same loop as `DrawLoop` in Swift and `run_loop` in C++.
 *
 * <p>A draw is a number of an xorshift generator. Its lower bits are the key, and its upper half
 * decides between a read and a replace. The draw is also the new value. Values are boxed in the
 * loop, since each is new. Keys are boxed in the loop, as in `map.get(key)` with a `long`, or
 * before the clock starts, one object per key.
 */
final class Loop {
  private final ConcurrentHashMap<Long, Long> map = new ConcurrentHashMap<>();
  private final long keyMask;
  private final long replacePercent;

  private Loop(int entries, int replacePercent) {
    keyMask = entries - 1;
    this.replacePercent = replacePercent;
  }

  /** A thread that boxes each key in the loop. */
  private class Worker extends TimedThread {
    private long draw;
    private long sum;
    private long misses;

    Worker(long seed) {
      draw = seed;
    }

    /** Returns the box of a key. A call in each branch, so that the compiler can remove boxes. */
    Long box(long key) {
      return key;
    }

    @Override
    void reset() {
      sum = 0;
      misses = 0;
    }

    @Override
    void operate() {
      long draw = this.draw;
      long sum = this.sum;
      for (int count = 0; count < CHUNK; count++) {
        draw ^= draw << 13;
        draw ^= draw >>> 7;
        draw ^= draw << 17;
        long key = draw & keyMask;
        if ((draw >>> 32) * 100 >>> 32 < replacePercent) {
          map.put(box(key), draw);
        } else {
          Long value = map.get(box(key));
          if (value != null) {
            sum += value;
          } else {
            misses++;
          }
        }
      }
      this.draw = draw;
      this.sum = sum;
    }
  }

  /** A thread that finds the boxes of all keys in an array. */
  private final class WorkerWithBoxes extends Worker {
    private final Long[] boxes;

    WorkerWithBoxes(long seed, Long[] boxes) {
      super(seed);
      this.boxes = boxes;
    }

    @Override
    Long box(long key) {
      return boxes[(int) key];
    }
  }

  /** Returns the number of keys that are absent or have a value of another key. */
  private long wrongKeys() {
    long count = 0;
    for (long key = 0; key <= keyMask; key++) {
      Long value = map.get(key);
      if (value == null || (value & keyMask) != key) count++;
    }
    return count;
  }

  /**
   * Runs a trial. The arguments are numbers: the entries, a power of two, the percentage of
   * replaces, whether keys are boxed before the clock starts, the milliseconds of the warm-up and
   * of the timed part, the operations of each thread instead of a duration, or 0, and the seed of
   * each thread.
   *
   * <p>Prints the operations, the nanoseconds, the sum of the values read and the reads that found
   * nothing of each thread; then the keys that are absent or have a value of another key.
   */
  public static void main(String[] arguments) throws Exception {
    int entries = Integer.parseInt(arguments[0]);
    Loop loop = new Loop(entries, Integer.parseInt(arguments[1]));
    Long[] boxes = Integer.parseInt(arguments[2]) == 1 ? new Long[entries] : null;
    for (int key = 0; key < entries; key++) {
      Long box = (long) key;
      if (boxes != null) boxes[key] = box;
      loop.map.put(box, (long) key);
    }
    // Moves the map to the old generation before the clock starts.
    System.gc();
    long limit = Long.parseLong(arguments[5]);
    Worker[] workers = new Worker[arguments.length - 6];
    for (int index = 0; index < workers.length; index++) {
      long seed = Long.parseUnsignedLong(arguments[6 + index]);
      workers[index] = boxes != null ? loop.new WorkerWithBoxes(seed, boxes) : loop.new Worker(seed);
    }
    if (limit == 0) {
      TimedThread.time(
          workers, Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
    } else {
      for (Worker worker : workers) worker.operate(limit);
    }
    for (Worker worker : workers) {
      System.out.println(
          worker.done + " " + (worker.end - worker.begin) + " "
              + Long.toUnsignedString(worker.sum) + " " + worker.misses);
    }
    System.out.println(loop.wrongKeys());
  }
}
