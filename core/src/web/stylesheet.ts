import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { componentStyles } from './components.js';
import { siteStyles } from './styles.js';

const require = createRequire(import.meta.url);

const primitives = [
  'base/size/size',
  'base/typography/typography',
  'base/motion/motion',
  'functional/size/border',
  'functional/size/breakpoints',
  'functional/size/radius',
  'functional/size/size',
  'functional/size/viewport',
  'functional/spacing/space',
  'functional/typography/typography',
  'functional/themes/light',
  'functional/themes/dark',
];

/** Variables that pages and islands may use beyond those that the style sheets do. */
const kept =
  /^--(?:bgColor|fgColor|borderColor|shadow|overlay|label|color-prettylights|diffBlob|control|button-(?:default|primary|danger)|avatar|fontStack|base)/;

/** What of the sheet is our own. */
export const ownStyles = `${componentStyles}\n${siteStyles}`;

/**
 * All of our styles as one sheet: Primer's variables for light and dark, its components, then our own rules. `paths`:
 * the files that it is made of, and this one, which chooses.
 */
export async function stylesheetSource(): Promise<{ readonly text: string; readonly paths: readonly string[] }> {
  const primer = dirname(require.resolve('@primer/css/package.json'));
  const tokens = dirname(require.resolve('@primer/primitives/package.json', { paths: [primer] }));
  const files = [
    ...primitives.map((name) => join(tokens, 'dist/css', `${name}.css`)),
    ...['core', 'product'].map((name) => join(primer, 'dist', `${name}.css`)),
  ];
  const texts = await Promise.all(files.map((path) => readFile(path, 'utf8')));
  const [core, product] = texts.splice(primitives.length);
  const rules = `${product}\n${componentStyles}\n${core}\n${siteStyles}`.replace(/\/\*# sourceMappingURL=.*?\*\//g, '');
  return {
    text: `${usedVariables(texts.join('\n'), rules)}\n${rules}`,
    paths: [...files, fileURLToPath(import.meta.url)],
  };
}

/** Primer declares some thousand variables, most of them for components that are not ours. */
function usedVariables(declarations: string, rules: string): string {
  const plain = declarations.replace(/\/\*[\s\S]*?\*\//g, '');
  const used = new Set<string>();
  const note = (text: string) => {
    for (const [, name] of text.matchAll(/var\(\s*(--[\w-]+)/g)) used.add(name!);
  };
  note(rules);
  const declared = [...plain.matchAll(/(--[\w-]+):([^;{}]*);/g)];
  for (let before = -1; before !== used.size;) {
    before = used.size;
    for (const [, name, value] of declared) if (used.has(name!) || kept.test(name!)) note(value!);
  }
  return plain.replace(/\s*(--[\w-]+):([^;{}]*);/g, (all, name: string) =>
    used.has(name) || kept.test(name) ? all : '',
  );
}
