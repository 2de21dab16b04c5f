/** Log lines for people: one each, with colours where the terminal has them. */
const colours = { dim: 2, red: 31, green: 32, yellow: 33, cyan: 36, bold: 1 } as const;
type Paint = (colour: keyof typeof colours, text: string) => string;

export const painter = (hasColours: boolean): Paint =>
  hasColours ? (colour, text) => `\u001b[${colours[colour]}m${text}\u001b[0m` : (_colour, text) => text;

/** https://no-color.org and its counterpart. */
export const hasColours = (environment: NodeJS.ProcessEnv): boolean =>
  environment.FORCE_COLOR ? environment.FORCE_COLOR !== '0' : !environment.NO_COLOR && environment.TERM !== 'dumb';

const signs = {
  trace: ['dim', '·'],
  debug: ['dim', '·'],
  info: ['green', '•'],
  warn: ['yellow', '!'],
  error: ['red', '✖'],
  fatal: ['red', '✖'],
} as const;

interface Written {
  level: keyof typeof signs;
  time: string;
  msg?: string;
  plugin?: string;
  error?: { stack?: string; message?: string } | string;
}

/** Makes a line of the JSON that the log would write otherwise. What is no such JSON stays as it is. */
export function readable(line: string, paint: Paint): string {
  let about: Written & Record<string, unknown>;
  try {
    about = JSON.parse(line) as Written & Record<string, unknown>;
  } catch {
    return line;
  }
  const { level, time, msg = '', plugin, error, pid: _pid, hostname: _host, ...fields } = about;
  const [colour, sign] = signs[level] ?? signs.info;
  const [clock] = /\d\d:\d\d:\d\d/.exec(localTime(time)) ?? [''];
  const words = [
    paint('dim', clock),
    paint(colour, sign),
    ...(plugin ? [paint('cyan', `${plugin}:`)] : []),
    clean(msg),
    ...Object.entries(fields).map(([name, value]) => paint('dim', `${name}=${shown(value)}`)),
    ...(typeof error === 'string' ? [paint('dim', clean(error))] : []),
  ];
  const stack = typeof error === 'object' && error ? (error.stack ?? error.message ?? '') : '';
  const below = stack && `\n${paint('dim', indent(clean(stack, true)))}`;
  return `${words.join(' ')}${below}\n`;
}

const indent = (text: string) => text.replace(/^/gm, '    ');
/** What others wrote must not move the cursor or change colours. */
const clean = (text: string, keepLines = false) =>
  text.replace(keepLines ? /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g : /[\u0000-\u001f\u007f-\u009f]/g, ' ');

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return clean(/\s/.test(text) && typeof value === 'string' ? JSON.stringify(text) : text);
}

function localTime(time: string): string {
  const at = new Date(time);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
