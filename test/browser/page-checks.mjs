// What every page must keep: no script errors, labels and headings, no sideways scroll, links that lead somewhere.

/** Collects what the browser complains of on `page`; gives the list that grows. */
export function complaintsOf(page) {
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(`script: ${error}`));
  page.on('console', (message) => {
    // An answer like 404 or 422 is told by the test that asked for it.
    if (message.type() !== 'error' || /Failed to load resource.*status of 4\d\d/.test(message.text())) return;
    complaints.push(`console: ${message.text()} (${page.url()})`);
  });
  page.on('response', (answer) => {
    const bad = answer.status() >= 500 || (answer.status() >= 400 && answer.request().resourceType() !== 'document');
    if (bad) complaints.push(`${answer.status()} of ${answer.url()} (${page.url()})`);
  });
  return complaints;
}

const isMovingOn = (error) => /interrupted by another navigation|context was destroyed/.test(String(error));

/** Does it again when the page has opened itself anew meanwhile, as pages do that wait for what is worked out. */
export async function settled(page, work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isMovingOn(error)) throw error;
      await page.waitForLoadState();
    }
  }
}
const ask = (page, question, argument) => settled(page, () => page.evaluate(question, argument));

/** Faults of the page that is open, by what a person with a screen reader or a phone would meet. */
export const faultsOf = (page) =>
  ask(page, () => {
    const faults = [];
    const brief = (element) => element.outerHTML.replace(/\s+/g, ' ').slice(0, 140);
    const isShown = (element) => !element.closest('[hidden]');
    const titles = [...document.querySelectorAll('h1')].filter(
      (title) => isShown(title) && !title.closest('.markdown-body'),
    );
    if (titles.length !== 1) faults.push(`${titles.length} headings of the first level`);
    for (const heading of document.querySelectorAll('h1, h2, h3, h4'))
      if (isShown(heading) && heading.textContent.trim() === '' && !heading.querySelector('img[alt]:not([alt=""])'))
        faults.push(`empty heading ${brief(heading)}`);
    let above = 1;
    for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
      // what people write has an outline of its own
      if (!isShown(heading) || heading.closest('.markdown-body')) continue;
      const level = Number(heading.tagName[1]);
      if (level > above + 1) faults.push(`a heading h${level} after h${above}: ${brief(heading)}`);
      above = level;
    }
    if (!document.title.trim()) faults.push('no title');
    if (!document.documentElement.lang) faults.push('no language');
    if (document.querySelectorAll('main').length !== 1) faults.push('not one main part');
    const nameOf = (element) => {
      const by = element.getAttribute('aria-labelledby');
      return [
        element.getAttribute('aria-label'),
        by &&
          by
            .split(' ')
            .map((id) => document.getElementById(id)?.textContent ?? '')
            .join(' '),
        ...[...(element.labels ?? [])].map((label) => label.textContent),
        element.matches('button, a, summary') ? element.textContent : '',
        element.matches('input[type=submit], input[type=button]') ? element.value : '',
        element.querySelector?.('img[alt]')?.alt,
        element.matches('button, a, summary') ? element.title : '',
      ].some((name) => name?.trim());
    };
    for (const control of document.querySelectorAll(
      'input:not([type=hidden]), select, textarea, button, summary, a[href]',
    ))
      if (isShown(control) && control.getAttribute('aria-hidden') !== 'true' && !nameOf(control))
        faults.push(`no name: ${brief(control)}`);
    for (const inner of document.querySelectorAll('summary :is(a[href], button, input, select), a :is(a, button)'))
      faults.push(`pressed within what is pressed: ${brief(inner)}`);
    for (const image of document.querySelectorAll('img'))
      if (!image.hasAttribute('alt')) faults.push(`no alt: ${brief(image)}`);
      else if (image.loading !== 'lazy' && image.complete && image.naturalWidth === 0)
        faults.push(`no picture: ${brief(image)}`);
    const seen = new Set();
    for (const { id } of document.querySelectorAll('[id]'))
      if (seen.has(id)) faults.push(`id "${id}" twice`);
      else seen.add(id);
    for (const part of document.querySelectorAll('[for], [aria-describedby], [aria-labelledby], [list]'))
      for (const attribute of ['for', 'aria-describedby', 'aria-labelledby', 'list'])
        for (const id of (part.getAttribute(attribute) ?? '').split(' ').filter(Boolean))
          if (!document.getElementById(id)) faults.push(`${attribute}="${id}" leads nowhere`);
    for (const form of document.querySelectorAll('form[method=post]'))
      if (!form.querySelector('input[name=_csrf]')?.value && new URL(form.action).origin === location.origin)
        faults.push(`form without token ${brief(form)}`);
    return [...new Set(faults)];
  });

/** By how many pixels the page is wider than the window; phones zoom out instead, so it is asked how wide they are. */
export const overhangOf = (page) =>
  ask(
    page,
    (width) => {
      const over = document.documentElement.scrollWidth - width;
      if (over <= 1) return undefined;
      const widest = [...document.querySelectorAll('main *')]
        .filter((element) => element.getBoundingClientRect().right > width + 1)
        .map((element) => element.outerHTML.replace(/\s+/g, ' ').slice(0, 120));
      return `${over} px too wide: ${widest.at(-1) ?? ''}`;
    },
    page.viewportSize().width,
  );

/** Addresses on this server that the page links to, without the parts after `#`. */
export const linksOf = (page, base) =>
  ask(
    page,
    (start) => [
      ...new Set(
        [...document.querySelectorAll('a[href]')]
          // those of pictures have another `href`
          .map((link) => new URL(link.getAttribute('href'), document.baseURI).href.replace(/#.*$/, ''))
          .filter((href) => href.startsWith(`${start}/`)),
      ),
    ],
    base,
  );
