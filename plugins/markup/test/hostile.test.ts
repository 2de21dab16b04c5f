import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { htmlParser } from '../worker/libraries.js';
import { closeAll, service } from './kit.js';
import { payloads } from './payloads.js';

export const lab = Lab.script();
const { after, describe, it } = lab;

/** Tags, with their attributes decoded, as a parser of HTML sees them. */
function tagsOf(html: string) {
  const tags: { name: string; attributes: Record<string, string> }[] = [];
  const parser = new (htmlParser().Parser)({ onopentag: (name, attributes) => tags.push({ name, attributes }) });
  parser.end(html);
  return tags;
}

const forbidden =
  /^(?:script|style|iframe|frame|object|embed|applet|form|button|textarea|select|link|meta|base|svg|template|noscript|xmp|plaintext|title|audio|dialog|portal)$/;
const addresses = new Set([
  'href',
  'src',
  'srcset',
  'poster',
  'action',
  'formaction',
  'data',
  'background',
  'cite',
  'xlink:href',
]);
const harmless = /^(?:https?:|mailto:|\/|#|\.\.?\/|data:image\/|[\w%.~+-]*(?:[/?#]|$)|[^:]*$)/i;

/** What of an HTML could run, load or deceive. */
function dangers(html: string): string[] {
  const found: string[] = [];
  for (const { name, attributes } of tagsOf(html)) {
    if (forbidden.test(name)) found.push(`<${name}>`);
    if (name === 'input' && attributes.type !== 'checkbox') found.push('<input>');
    for (const [key, value] of Object.entries(attributes)) {
      if (/^on/i.test(key) || key === 'srcdoc' || key === 'is') found.push(key);
      if (key === 'style' && !/^text-align:(?:left|right|center)$/.test(value)) found.push(`style=${value}`);
      // Browsers pass over control characters and blanks in schemes.
      const address = value.replace(/[\u0000-\u0020]/g, '');
      if (addresses.has(key) && !harmless.test(address)) found.push(`${key}=${value}`);
      if (key === 'href' && /^data:/i.test(address)) found.push(`${key}=${value}`);
      if (key === 'id' && !value.startsWith('user-content-')) found.push(`id=${value}`);
      if (key === 'class' && /\b(?:btn|flash|Box|site-|position-)/.test(value)) found.push(`class=${value}`);
    }
  }
  return found;
}

describe('hostile texts', { timeout: 300_000 }, () => {
  const { markup } = service();
  after(closeAll);

  it('XSS: the check itself sees what runs', () => {
    for (const html of [
      '<script>x</script>',
      '<img src=x onerror=x>',
      '<a href="java&#9;script:x">',
      '<p style="position:fixed">',
      '<p id="main">',
      '<a href="vbscript:x">',
      '<a href="data:text/html,x">',
    ])
      expect(dangers(html), html).to.not.be.empty();
  });

  it('XSS: nothing of 174 texts and more runs, loads or deceives, in any format and for any reader', async () => {
    expect(payloads.length).to.be.at.least(174);
    for (const payload of payloads) {
      for (const html of [
        await markup.render(payload, {
          linkBase: '/ada/wheel/src/branch/main',
          imageBase: '/ada/wheel/raw/branch/main',
        }),
        await markup.render(payload, { kind: 'comment', absolute: true }),
        await markup.renderMessage(payload),
        ...(await Promise.all(
          ['a.csv', 'a.rst', 'a.org', 'a.adoc'].map(async (name) => (await markup.renderFile(name, payload))!),
        )),
        await markup.sanitize(payload),
      ])
        expect(dangers(html), `${payload}\n${html}`).to.be.empty();
      const { lines } = await markup.highlight('a.html', payload);
      expect(dangers(lines.join('\n')), payload).to.be.empty();
    }
  });

  it('XSS: cut off at any place a text is as harmless', async () => {
    const whole = payloads.join('\n').slice(0, 6_000);
    for (let length = 1; length < whole.length; length += 97)
      expect(dangers(await markup.render(whole.slice(0, length))), whole.slice(length - 100, length)).to.be.empty();
  });
});
