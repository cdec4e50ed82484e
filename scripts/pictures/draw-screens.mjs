/**
 * Draws screens of a terminal as SVG, side by side.
 *
 * Each screen has its own background, so that it looks the same on a light and on a dark page. `textLength` makes each
 * piece of text as wide as its columns, in any font.
 */

const CELL = { width: 7.8, height: 18 };
const PADDING = 16;
const BAR = 28;
const GAP = 16;
const BACKGROUND = "#1e2127";
const TEXT = "#d7dae0";
/** The eight colours of a terminal, by number. */
const PALETTE = ["#5c6370", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0"];

/**
 * @param {string} title
 * @param {number} columns the width of a screen; the height is that of the longest screen
 * @param {readonly (readonly (readonly import("./pseudo-terminal.mjs").Piece[])[])[]} screens
 */
export function drawScreens(title, columns, screens) {
  const rows = Math.max(...screens.map((screen) => screen.length));
  const width = columns * CELL.width + 2 * PADDING;
  const height = rows * CELL.height + PADDING + BAR;
  const whole = screens.length * (width + GAP) - GAP;
  const drawn = screens.map((screen, at) => drawScreen(screen, at * (width + GAP), width, height));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${figure(whole)} ${figure(height)}" width="${figure(whole)}" height="${figure(height)}">`,
    `<title>${escape(title)}</title>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">`,
    ...drawn.flat(),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/**
 * @param {readonly (readonly import("./pseudo-terminal.mjs").Piece[])[]} screen
 * @param {number} left
 * @param {number} width
 * @param {number} height
 */
function drawScreen(screen, left, width, height) {
  const dots = [0, 1, 2].map(
    (dot) => `<circle cx="${PADDING + dot * 16}" cy="${BAR / 2}" r="4.5" fill="${PALETTE[0]}"/>`,
  );
  const texts = screen.flatMap((row, at) => row.map((piece) => drawPiece(piece, at)));
  return [
    `<g transform="translate(${figure(left)} 0)">`,
    `<rect width="${figure(width)}" height="${figure(height)}" rx="8" fill="${BACKGROUND}"/>`,
    dots.join(""),
    ...texts,
    "</g>",
  ];
}

/**
 * @param {import("./pseudo-terminal.mjs").Piece} piece
 * @param {number} row
 */
function drawPiece({ column, text, colour, isDim, isBold }, row) {
  const blank = text.length - text.trimStart().length;
  const shown = text.trim();
  const place = {
    x: figure(PADDING + (column + blank) * CELL.width),
    y: figure(BAR + (row + 0.75) * CELL.height),
    textLength: figure([...shown].length * CELL.width),
    lengthAdjust: "spacingAndGlyphs",
    fill: PALETTE[colour % 8] ?? TEXT,
    ...(isDim ? { "fill-opacity": "0.6" } : {}),
    ...(isBold ? { "font-weight": "bold" } : {}),
  };
  const attributes = Object.entries(place).map(([name, value]) => ` ${name}="${value}"`);
  return `<text${attributes.join("")} xml:space="preserve">${escape(shown)}</text>`;
}

/** @param {number} value */
const figure = (value) => String(Math.round(value * 10) / 10);

/** @param {string} text */
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
