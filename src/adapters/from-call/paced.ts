/** A peer that changes all the time may take a tenth of this process, and no more. */
const REST = 9;

/**
 * Does some work whenever it is told to: at once after a quiet time, otherwise after a rest nine times as long as the
 * work before kept everybody else waiting. What is told meanwhile is one more time, however often it is told.
 */
export function paced(
  work: () => Promise<number>,
  rest: (milliseconds: number) => Promise<void> = sleep,
): () => void {
  let isWanted = false;
  let isBusy = false;

  async function run(): Promise<void> {
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await rest(REST * (await work()));
    }
    isBusy = false;
  }

  return () => {
    isWanted = true;
    if (!isBusy) void run();
  };
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
