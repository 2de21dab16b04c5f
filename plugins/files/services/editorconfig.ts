/** Reads `.editorconfig` files as editorconfig.org tells: sections of globs, the last that fits wins. */
interface EditorDefinition {
  charset?: string;
  indent_style?: string;
  indent_size?: string;
  tab_width?: number;
  end_of_line?: string;
  trim_trailing_whitespace?: boolean;
  insert_final_newline?: boolean;
}

const maxSections = 500;

/** Properties of one path; undefined when no section speaks of it. */
export function definitionFor(text: string, path: string): EditorDefinition | undefined {
  const values = new Map<string, string>();
  let applies = false;
  let sections = 0;
  let found = false;
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim();
    if (!trimmed || /^[#;]/.test(trimmed)) continue;
    const glob = /^\[(.+)\]$/.exec(trimmed)?.[1];
    if (glob !== undefined) {
      applies = ++sections <= maxSections && fits(glob, path);
      found ||= applies;
      continue;
    }
    const [, key, value] = /^([\w-]+)\s*[=:]\s*(.*)$/.exec(trimmed) ?? [];
    if (applies && key) values.set(key.toLowerCase(), (value ?? '').trim().toLowerCase());
  }
  return found ? definition(values) : undefined;
}

function definition(values: ReadonlyMap<string, string>): EditorDefinition {
  const text = (key: string) => {
    const value = values.get(key);
    return value && value !== 'unset' ? value : undefined;
  };
  const flag = (key: string) => (text(key) === undefined ? undefined : text(key) === 'true');
  const number = (value: string | undefined) => (value && /^\d{1,4}$/.test(value) ? Number(value) : undefined);
  const style = text('indent_style');
  const size = text('indent_size') ?? (style === 'tab' ? 'tab' : undefined);
  const width = number(text('tab_width')) ?? number(size);
  return {
    charset: text('charset'),
    indent_style: style,
    indent_size: size === 'tab' && width ? String(width) : size,
    tab_width: width,
    end_of_line: text('end_of_line'),
    trim_trailing_whitespace: flag('trim_trailing_whitespace'),
    insert_final_newline: flag('insert_final_newline'),
  };
}

/** A glob without a slash fits in every folder, one with a slash from the root. */
export function fits(glob: string, path: string): boolean {
  const plain = glob.startsWith('/') ? glob.slice(1) : glob;
  const rooted = glob.includes('/');
  if (glob.length > 500) return false;
  return alternatives(plain).some((one) => match(one, rooted ? path : path.slice(path.lastIndexOf('/') + 1)));
}

/** `*.{js,ts}` → `*.js`, `*.ts`; `{1..3}` → the numbers. Bounded, for files come from anybody. */
function alternatives(glob: string): string[] {
  let open = [glob];
  for (let round = 0; round < 6; round++) {
    const next = open.flatMap((one) => {
      const [, before, inner, after] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(one) ?? [];
      if (inner === undefined) return [one];
      const [, from, to] = /^(-?\d{1,6})\.\.(-?\d{1,6})$/.exec(inner) ?? [];
      const words =
        from !== undefined
          ? Array.from({ length: Math.min(Math.abs(Number(to) - Number(from)) + 1, 200) }, (_, index) =>
              String(Math.min(Number(from), Number(to)) + index),
            )
          : inner.split(',');
      return words.map((word) => `${before}${word}${after}`);
    });
    open = next.slice(0, 200);
  }
  return open;
}

/** Steps through both at once with a set of places, so that no glob takes more than its length times the path's. */
function match(glob: string, path: string): boolean {
  const tokens = glob.match(/\*\*|\*|\?|\[!?[^\]]+\]|\\.|[^]/g) ?? [];
  const isStar = (position: number) => tokens[position] === '*' || tokens[position] === '**';
  const spread = (positions: Set<number>) => {
    for (const position of positions) if (isStar(position)) positions.add(position + 1);
    return positions;
  };
  let positions = spread(new Set([0]));
  for (const letter of path) {
    const next = new Set<number>();
    for (const position of positions) {
      const token = tokens[position];
      if (token === undefined) continue;
      if (token === '**' || (token === '*' && letter !== '/')) next.add(position);
      else if (token !== '*' && fitsLetter(token, letter)) next.add(position + 1);
    }
    positions = spread(next);
    if (positions.size === 0) return false;
  }
  return positions.has(tokens.length);
}

function fitsLetter(token: string, letter: string): boolean {
  if (token === '?') return letter !== '/';
  if (token.length === 2 && token.startsWith('\\')) return token[1] === letter;
  if (!token.startsWith('[') || token.length < 3) return token === letter;
  const denied = token[1] === '!';
  const inner = token.slice(denied ? 2 : 1, -1);
  let has = false;
  for (let index = 0; index < inner.length; index++) {
    if (inner[index + 1] === '-' && inner[index + 2] !== undefined) {
      has ||= letter >= inner[index]! && letter <= inner[index + 2]!;
      index += 2;
    } else has ||= inner[index] === letter;
  }
  return has !== denied && letter !== '/';
}
