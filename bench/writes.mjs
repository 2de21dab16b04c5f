// Twenty small writes a second until standard input ends: a star, a description, a star taken back, a description, …
// Prints how many were acknowledged in a second.
//
//   node bench/writes.mjs ADDRESS TOKEN REPOSITORY
const [base, token, repository] = process.argv.slice(2);
const headers = { authorization: `token ${token}`, 'content-type': 'application/json' };
const begun = performance.now();
const open = new Set();
let number = 0;
let done = 0;

async function write() {
  const at = number++;
  const [method, path, body] =
    at % 2
      ? ['PATCH', `/repos/${repository}`, JSON.stringify({ description: `Description ${at}` })]
      : [at % 4 ? 'DELETE' : 'PUT', `/user/starred/${repository}`];
  const response = await fetch(`${base}/api/v1${path}`, { method, headers, body });
  await response.arrayBuffer();
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status}`);
  done++;
}

const timer = setInterval(() => {
  const one = write().catch((error) => console.error(String(error)));
  open.add(one);
  void one.then(() => open.delete(one));
}, 50);

process.stdin.resume().on('end', async () => {
  clearInterval(timer);
  const seconds = (performance.now() - begun) / 1000;
  await Promise.all(open);
  console.log((done / seconds).toFixed(1));
  process.exit(0);
});
