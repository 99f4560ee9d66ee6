/** The scores of one query. Its arrays are used again by the next: new ones would keep the collector busy. */
export class Scores {
  numbers = new Float32Array(0);
  /** The documents with a score, the first `count` of them. */
  touched = new Uint32Array(0);
  count = 0;
  /** 1 for each document that may have a score. */
  visible: Uint8Array = new Uint8Array(0);

  /** Forgets the last query. */
  start(visible: Uint8Array, documents: number): void {
    if (this.numbers.length < documents) {
      this.numbers = new Float32Array(Math.ceil(documents * 1.25));
      this.touched = new Uint32Array(this.numbers.length);
    } else this.numbers.fill(0);
    this.visible = visible;
    this.count = 0;
  }
}
