import type { Measured } from "./measure.ts";

const WIDTH = 820;
const LABELS = 176;
const TOKENS = { from: 186, to: 572, low: 100, high: 1_000_000 } as const;
const SEEN = { from: 664, to: 800 } as const;
const ROW = 26;
const BAR = 14;
const GROUP_GAP = 34;
const TOP = 92;

const STYLE = `
  .back { fill: #ffffff } .ink { fill: #1f2933 } .soft { fill: #5f6c7b } .grid { stroke: #dde3ea }
  .other { fill: #a9b4c2 } .own { fill: #0b7285 } .rest { fill: #eef1f5 }
  text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif }
  .title { font-size: 16px; font-weight: 600 } .small { font-size: 12px } .strong { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #12171e } .ink { fill: #e6ebf1 } .soft { fill: #9aa7b6 } .grid { stroke: #2b3440 }
    .other { fill: #5d6b7c } .own { fill: #3bc9db } .rest { fill: #222a34 }
  }`;

/** Options of a chart. */
export interface ChartOptions {
  /** The strategies to draw, in this order. */
  readonly shown: readonly string[];
  /** The highlighted one. */
  readonly own: string;
  /** A line at the foot: on what, and under which conditions. */
  readonly note: string;
}

/** Tokens for one task and how often its tool was seen, side by side, for each size: an SVG for light and dark pages. */
export function toChart(measured: readonly Measured[], { shown, own, note }: ChartOptions): string {
  const sizes = [...new Set(measured.map(({ tools }) => tools))];
  const heightOfGroup = shown.length * ROW + GROUP_GAP;
  const bottom = TOP + sizes.length * heightOfGroup - 10;
  const height = bottom + 34;
  const parts = sizes.flatMap((tools, group) => {
    const top = TOP + group * heightOfGroup;
    const rows = shown.flatMap((name) =>
      measured.filter((each) => each.tools === tools && each.strategy === name),
    );
    return [
      text(16, top + 4, `${tools.toLocaleString("en")} tools`, "ink strong"),
      ...rows.map((row, index) => toRow(row, top + 18 + index * ROW, row.strategy === own)),
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Tokens for one task and how often the right tool is seen, by strategy and number of tools">
<style>${STYLE}
</style>
<rect class="back" width="${WIDTH}" height="${height}" rx="8"/>
${[
  text(16, 30, "What it takes to find the right tool", "ink title"),
  text(TOKENS.from, 58, "tokens for one task: menu + discovery (log scale)", "soft small"),
  text(SEEN.from, 58, "right tool seen", "soft small"),
  ...[1_000, 10_000, 100_000].flatMap((tokens) => gridLine(tokens, bottom)),
  ...parts,
  text(16, bottom + 16, note, "soft small"),
].join("\n")}
</svg>
`;
}

function toRow(row: Measured, top: number, isOwn: boolean): string {
  const tokens = row.menuTokens + row.discoveryTokens;
  const end = placeOf(tokens);
  const seen = ((SEEN.to - SEEN.from) * row.seen) / 100;
  const fill = isOwn ? "own" : "other";
  const ink = isOwn ? "ink strong" : "ink";
  const baseline = top + BAR - 2;
  return [
    text(LABELS, baseline, row.strategy, ink, "end"),
    bar(TOKENS.from, top, end - TOKENS.from, fill),
    text(end + 6, baseline, Math.round(tokens).toLocaleString("en"), `${ink} small`),
    bar(SEEN.from, top, SEEN.to - SEEN.from, "rest"),
    bar(SEEN.from, top, seen, fill),
    text(SEEN.from - 6, baseline, `${Math.round(row.seen)} %`, `${ink} small`, "end"),
  ].join("\n");
}

function gridLine(tokens: number, bottom: number): string[] {
  const x = placeOf(tokens);
  return [
    `<line class="grid" x1="${x}" y1="80" x2="${x}" y2="${bottom - 6}"/>`,
    text(x, 75, tokens.toLocaleString("en"), "soft small", "middle"),
  ];
}

function placeOf(tokens: number): number {
  const share = Math.log10(tokens / TOKENS.low) / Math.log10(TOKENS.high / TOKENS.low);
  const place = TOKENS.from + (TOKENS.to - TOKENS.from) * Math.min(1, Math.max(0, share));
  return Math.round(place * 10) / 10;
}

function bar(x: number, y: number, width: number, fill: string): string {
  return `<rect class="${fill}" x="${x}" y="${y}" width="${Math.round(width * 10) / 10}" height="${BAR}" rx="2"/>`;
}

function text(x: number, y: number, content: string, style: string, anchor = "start"): string {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text class="${style}" x="${x}" y="${y}" text-anchor="${anchor}">${escaped}</text>`;
}
