/** The two functions of the package that are used; it brings no types of its own. */
declare module "jmespath" {
  export interface Node {
    readonly type: string;
    readonly name?: string;
    /** A missing child is what the parser leaves behind for `a.`; a slice holds numbers. */
    readonly children?: readonly (Node | number | null | undefined)[];
    /** A node in a KeyValuePair, data in a Literal. */
    readonly value?: unknown;
  }
  const jmespath: {
    compile(expression: string): Node;
    search(data: unknown, expression: string): unknown;
  };
  export default jmespath;
}
