// Another robot written into a mechanism's text.

/** The text with one more entry under `robots:`, at some distance to the side. */
export function withRobot(text: string, name: string, include: string, size: number): string {
  const y = Number((2.5 * size).toPrecision(2));
  const row = `  - {name: ${name}, include: ${include}, at: {xyz: [0, ${y}, 0]}}\n`;
  const section = /^robots:[ \t]*\n/m.exec(text);
  if (section) {
    const at = section.index + section[0].length;
    return text.slice(0, at) + row + text.slice(at);
  }
  return `${text.replace(/\n*$/, "\n")}robots:\n${row}`;
}
