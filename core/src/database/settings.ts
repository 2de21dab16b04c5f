import { durationSetting, Joi } from '@mortise/plugin-sdk';

export interface DatabaseSettings {
  DB_TYPE: 'sqlite3' | 'mysql';
  HOST: string;
  NAME: string;
  USER: string;
  PASSWD: string;
  SSL_MODE: 'false' | 'true' | 'skip-verify';
  CHARSET_COLLATION: string;
  REPLICA_HOSTS: string;
  REPLICA_MAX_DELAY: number;
  PATH: string;
  SQLITE_TIMEOUT: number;
  SQLITE_SYNCHRONOUS: 'normal' | 'full';
  MAX_OPEN_CONNS: number;
  DB_RETRIES: number;
  CONNECT_TIMEOUT: number;
  QUERY_TIMEOUT: number;
  LOG_SQL: boolean;
}

/** `[database]`: where rows are kept. */
export const databaseSettings = Joi.object<DatabaseSettings, true>({
  DB_TYPE: Joi.string()
    .valid('sqlite3', 'mysql')
    .default('sqlite3')
    .description('Engine: sqlite3, or mysql for MySQL and MariaDB'),
  HOST: Joi.string().default('127.0.0.1:3306').description('Address of the MySQL server, or the path of its socket'),
  NAME: Joi.string()
    .default('mortise')
    .description('Name of the MySQL database; it is made when missing and permitted'),
  USER: Joi.string().default('root').description('User at the MySQL server'),
  PASSWD: Joi.string().allow('').default('').description('Password at the MySQL server').meta({ secret: true }),
  SSL_MODE: Joi.string()
    .valid('false', 'true', 'skip-verify')
    .default('false')
    .description('TLS to the MySQL server')
    .meta({
      compatible: [
        { from: /^(disable|prefer|preferred|allow)$/i, to: 'false' },
        { from: /^require$/i, to: 'skip-verify' },
        { from: /^verify-(ca|full)$/i, to: 'true' },
      ],
    }),
  CHARSET_COLLATION: Joi.string()
    .allow('')
    .default('')
    .description('Collation of tables on MySQL; empty: utf8mb4_bin, which tells case apart'),
  REPLICA_HOSTS: Joi.string()
    .allow('')
    .default('')
    .description(
      'Addresses of MySQL servers that replicate HOST, separated by commas, with the same user and password: searches, lists and feeds are read there',
    ),
  REPLICA_MAX_DELAY: durationSetting('50ms').description(
    'How long a read waits until a replica has what was committed before it; then HOST is asked',
  ),
  PATH: Joi.string().default('data/mortise.db').description('SQLite file, relative to the work directory'),
  SQLITE_TIMEOUT: Joi.number()
    .integer()
    .min(1)
    .default(20_000)
    .description('Milliseconds that a write waits for writers of other processes on SQLite'),
  SQLITE_SYNCHRONOUS: Joi.string()
    .valid('normal', 'full')
    .default('normal')
    .description(
      'normal: commits survive a killed process; full: also a power cut, at the price of one disk flush for each',
    ),
  MAX_OPEN_CONNS: Joi.number()
    .integer()
    .min(0)
    .default(0)
    .description('Most connections of one process to MySQL; 0: twenty'),
  DB_RETRIES: Joi.number()
    .integer()
    .min(1)
    .default(10)
    .description('How often a write is tried again after a deadlock, and a first connection at the start'),
  CONNECT_TIMEOUT: durationSetting('10s').description('How long a connection to MySQL may take until it is signed in'),
  QUERY_TIMEOUT: durationSetting('30s').description(
    'How long MySQL may take for one statement, and requests may wait for a free connection; more than 20s, which a write waits for locks. Migrations and back-ups are not bounded by it',
  ),
  LOG_SQL: Joi.boolean().default(false).description('Log each statement at debug level'),
});
