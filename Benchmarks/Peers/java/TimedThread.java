import java.util.concurrent.CyclicBarrier;

/** A thread that repeats chunks of operations: first to warm the compiler up, then timed. */
abstract class TimedThread extends Thread {
  /** The number of operations between two readings of the stop flag. */
  static final int CHUNK = 1024;

  private static volatile boolean stop;

  /** The number of timed operations. */
  long done;

  /** The moments at which the timed part began and ended, in nanoseconds. */
  long begin;

  long end;

  private CyclicBarrier start;

  /** Makes a chunk of operations, so that the compiler sees a method with many calls. */
  abstract void operate();

  /** Clears what the thread counted in the warm-up. */
  abstract void reset();

  /** Makes `limit` operations, rounded up to chunks, on the calling thread. */
  final void operate(long limit) {
    begin = System.nanoTime();
    for (; done < limit; done += CHUNK) operate();
    end = System.nanoTime();
  }

  @Override
  public final void run() {
    while (!stop) operate();
    try {
      start.await();
      start.await();
    } catch (Exception failure) {
      throw new IllegalStateException(failure);
    }
    reset();
    begin = System.nanoTime();
    long chunks = 0;
    while (!stop) {
      operate();
      chunks++;
    }
    end = System.nanoTime();
    done = chunks * CHUNK;
  }

  /** Runs all threads for the given milliseconds, and returns after they have ended. */
  static void time(TimedThread[] threads, int warmup, int timed) throws Exception {
    CyclicBarrier start = new CyclicBarrier(threads.length + 1);
    for (TimedThread thread : threads) {
      thread.start = start;
      thread.start();
    }
    Thread.sleep(warmup);
    stop = true;
    start.await();
    stop = false;
    start.await();
    Thread.sleep(timed);
    stop = true;
    for (TimedThread thread : threads) thread.join();
  }
}
