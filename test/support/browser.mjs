// A browser without scripts, for tests of a server that runs as a process.
import { expect } from '@hapi/code';

/** Signs in; gives `page(path, form)`, which posts where it is given a form: { status, text }. */
export async function signInAs(base, name, password) {
  const jar = new Map();
  let csrf = '';
  const page = async (path, form) => {
    const answer = await fetch(base + path, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...jar].map((pair) => pair.join('=')).join('; '), origin: base },
      body: form && new URLSearchParams({ _csrf: csrf, ...form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, key, value] = /^([^=]+)=([^;]*)/.exec(line);
      jar.set(key, value);
    }
    const text = await answer.text();
    csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? csrf;
    return { status: answer.status, text };
  };
  await page('/user/login');
  expect((await page('/user/login', { user_name: name, password })).status).to.equal(303);
  return page;
}

/** Signs in; gives the text of a page, which must be there. */
export async function pagesFor(base, name, password) {
  const page = await signInAs(base, name, password);
  return async (path) => {
    const { status, text } = await page(path);
    expect(status, path).to.equal(200);
    return text;
  };
}
