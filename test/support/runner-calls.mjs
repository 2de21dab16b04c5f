/** A runner without a program: registers over the protocol of runners, gives its id and `call(method, message)`. */
export async function registerRunner(base, { name, token, labels }) {
  const call = async (method, message, headers = {}) => {
    const answer = await fetch(`${base}/api/actions/runner.v1.RunnerService/${method}`, {
      method: 'POST',
      body: JSON.stringify(message),
      headers: { 'content-type': 'application/json', 'connect-protocol-version': '1', ...headers },
    });
    if (!answer.ok) throw new Error(`${method}: ${await answer.text()}`);
    return answer.json();
  };
  const { runner } = await call('Register', { name, token, labels, version: 'v1' });
  const own = { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token };
  return { id: runner.id, call: (method, message) => call(method, message, own) };
}
