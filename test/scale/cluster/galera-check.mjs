// Beside each database of the cluster: answers 200 on port 9200 while it is in step with the majority, else 503. What
// operators use `clustercheck` for.
import { createServer } from 'node:http';
import { createConnection } from 'mysql2/promise';
import { account } from './galera.mjs';

const [, , address] = process.argv;
let connection;

async function isUsable() {
  try {
    connection ??= await createConnection({ host: address, ...account, connectTimeout: 1000 });
    const [rows] = await connection.query({
      sql: "show status where variable_name in ('wsrep_ready', 'wsrep_local_state')",
      timeout: 1000,
    });
    const status = new Map(rows.map((row) => [row.Variable_name, row.Value]));
    return status.get('wsrep_ready') === 'ON' && status.get('wsrep_local_state') === '4';
  } catch {
    connection?.destroy();
    connection = undefined;
    return false;
  }
}

createServer((_request, response) => {
  void isUsable().then((isGood) => response.writeHead(isGood ? 200 : 503, { connection: 'close' }).end());
}).listen(9200, '0.0.0.0');
process.on('unhandledRejection', () => undefined);
