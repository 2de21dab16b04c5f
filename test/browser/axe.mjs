// axe on pages that are open: nothing is found at both widths and in both themes.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@hapi/code';
import { faultsOf } from './page-checks.mjs';

/** Its script, for `context.addInitScript` or `page.evaluate`. */
export const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const folder = process.env.MORTISE_TEST_PICTURES;
export const wide = { width: 1280, height: 900 };
const views = [
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
];

/** What axe finds on a page that has its script, a line an element. */
export const violationsOf = (page) =>
  page.evaluate(async () =>
    (await globalThis.axe.run()).violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
  );

/** Expects that axe and `faultsOf` find nothing in any view; `MORTISE_TEST_PICTURES` names a folder for a picture of each. */
export async function expectAccessible(page, name) {
  for (const [width, colorScheme] of views) {
    await page.setViewportSize({ ...wide, width });
    await page.emulateMedia({ colorScheme });
    const found = [...(await violationsOf(page)), ...(await faultsOf(page))];
    expect([name, width, colorScheme, found]).to.equal([name, width, colorScheme, []]);
    if (folder) await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true });
  }
  await page.setViewportSize(wide);
  await page.emulateMedia({ colorScheme: 'light' });
}
