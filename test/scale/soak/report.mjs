// What a run saw, as a chart (SVG) and as a table (Markdown).

const size = { width: 860, panel: 150, left: 60, right: 190, top: 34, gap: 34 };
const colours = ['#0b6bcb', '#c2410c', '#15803d', '#7e22ce', '#a16207', '#be123c', '#0e7490', '#4d7c0f'];
const escape = (text) => text.replace(/[&<>]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[one]);
const round = (value) => (value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1));

/** `pattern`: which series; `most`: the highest so many of them. */
const panels = [
  ['Resident memory, MB', /: resident memory/],
  ['Heap, MB', /: heap/],
  ['Open descriptors', /: open descriptors/],
  ['Processes of git and others', /^other processes$/],
  [
    'Tables of work and records, rows',
    /^table (job|event|event_delivery|hook_delivery|session|access_token|notification|lock)$/,
  ],
  [
    'The largest other tables, rows',
    /^table (?!job$|event|hook_delivery$|session$|access_token$|notification$|lock$)/,
    8,
  ],
  ['Folders, MB', /^folder .*: MB$/, 8],
  ['Folders, files', /^folder .*: files$/, 8],
];

function drawPanel([title, pattern, most = 8], at, samples, rows) {
  const shown = rows
    .filter(({ name }) => pattern.test(name))
    .sort((one, other) => other.highest - one.highest)
    .slice(0, most);
  const top = size.top + at * (size.panel + size.gap);
  const ceiling = Math.max(1, ...shown.map(({ highest }) => highest)) * 1.05;
  const last = samples.at(-1).seconds;
  const inner = size.width - size.left - size.right;
  const x = (seconds) => (size.left + (inner * seconds) / last).toFixed(1);
  const y = (value) => (top + size.panel * (1 - value / ceiling)).toFixed(1);
  const parts = [
    `<text x="${size.left}" y="${top - 8}" font-weight="bold">${escape(title)}</text>`,
    `<rect x="${size.left}" y="${top}" width="${inner}" height="${size.panel}" fill="none" stroke="#999"/>`,
    `<text x="${size.left - 6}" y="${top + 10}" text-anchor="end">${round(ceiling)}</text>`,
    `<text x="${size.left - 6}" y="${top + size.panel}" text-anchor="end">0</text>`,
  ];
  for (const [place, { name, after }] of shown.entries()) {
    const colour = colours[place % colours.length];
    const points = samples.map(({ seconds, series }) => `${x(seconds)},${y(series[name] ?? 0)}`).join(' ');
    const label = name
      .replace(/^(table|folder) /, '')
      .replace(/: (resident memory|heap|open descriptors|MB|files).*$/, '');
    parts.push(
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
      `<text x="${size.width - size.right + 8}" y="${top + 12 + place * 16}" fill="${colour}">${escape(label)} ${round(after)}</text>`,
    );
  }
  for (let minutes = 0; minutes * 60 <= last; minutes += Math.max(1, Math.ceil(last / 600)))
    parts.push(`<text x="${x(minutes * 60)}" y="${top + size.panel + 14}" text-anchor="middle">${minutes}</text>`);
  return parts.join('\n');
}

/** Names at the right say the median of the last quarter. */
export function chart(samples, rows, title) {
  const height = size.top + panels.length * (size.panel + size.gap) + 10;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" font-family="sans-serif" font-size="11">
<title>${escape(title)}</title>
<rect width="100%" height="100%" fill="#fff"/>
${panels.map((panel, at) => drawPanel(panel, at, samples, rows)).join('\n')}
</svg>
`;
}

/** The series that are worth a line: those of processes, and each other one that ever had more than a few. */
export function table(rows) {
  const lines = rows
    .filter(({ name, highest, isFlat }) => !isFlat || !/^(table|folder) /.test(name) || highest >= 50)
    .map(({ name, before, after, highest, isFlat, reason }) => {
      const verdict = isFlat ? 'flat' : (reason ?? '**grows**');
      return `| ${name} | ${round(before)} | ${round(after)} | ${round(highest)} | ${verdict} |`;
    });
  return `| | second quarter | last quarter | highest | |\n|---|---|---|---|---|\n${lines.join('\n')}\n`;
}

export function countsTable(counts) {
  const lines = Object.entries(counts).map(
    ([name, { done, failed, disturbed, skipped }]) => `| ${name} | ${done} | ${failed} | ${disturbed} | ${skipped} |`,
  );
  return `| operation | done | failed | failed while the machine was stalled | left out |\n|---|---|---|---|---|\n${lines.join('\n')}\n`;
}
