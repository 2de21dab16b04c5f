// Who opens pages as a browser does.

/** The cookies of a browser that has signed in by the form. */
export async function signIn(base, name, password) {
  const jar = new Map();
  const go = async (init) => {
    const cookie = [...jar].map(([key, value]) => `${key}=${value}`).join('; ');
    const answer = await fetch(`${base}/user/login`, { redirect: 'manual', ...init, headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, key, value] = /^([^=]+)=([^;]*)/.exec(line);
      jar.set(key, value);
    }
    return answer;
  };
  const csrf = /name="_csrf" value="([^"]+)"/.exec(await (await go({})).text())[1];
  const answer = await go({
    method: 'POST',
    body: new URLSearchParams({ _csrf: csrf, user_name: name, password }),
  });
  if (answer.status !== 303) throw new Error(`signing in as ${name}: ${answer.status}`);
  return [...jar].map(([key, value]) => `${key}=${value}`).join('; ');
}
