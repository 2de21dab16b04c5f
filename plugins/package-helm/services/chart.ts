import { createRequire } from 'node:module';
import { BadRequest, yamlExcess, isJsonObject } from '@mortise/plugin-sdk';
import {
  gunzip,
  isPlainPath,
  parseSemver,
  tarEntries,
  tidySemver,
  type PackageStore,
  type ReceivedBlob,
} from '@mortise/packages/api';

/** What the index says of a chart, in the words of its Chart.yaml. */
export interface ChartInfo {
  readonly apiVersion: string;
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}

interface ReadChart {
  readonly info: ChartInfo;
  readonly readme?: string;
}

const maxChart = 256 * 1024;
const maxReadme = 128 * 1024;
const maxUnpacked = 256 * 1024 * 1024;
const maxList = 500;
const maxDepth = 16;
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

const require = createRequire(import.meta.url);
/** Everything is text: an `appVersion` of 1.10 is no number. */
function parseYaml(text: string): unknown {
  const options = { schema: 'failsafe', maxAliasCount: 50, logLevel: 'error' } as const;
  try {
    const yaml = require('yaml') as typeof import('yaml');
    if (yamlExcess(yaml, text)) throw new Error('it holds too much, or is nested too deeply.');
    return yaml.parse(text, options);
  } catch (error) {
    throw BadRequest(`The Chart.yaml cannot be read: ${(error as Error).message.slice(0, 300)}`);
  }
}

/** The Chart.yaml of a chart, one folder deep, and its readme. */
export async function readChart(store: PackageStore, blob: ReceivedBlob): Promise<ReadChart> {
  let info: ChartInfo | undefined;
  let readme: string | undefined;
  for await (const entry of tarEntries(gunzip(await store.open(blob)), { maxBytes: maxUnpacked })) {
    // to its end, since clients unpack all of it
    if (!isPlainPath(entry.name) || entry.kind === 'link')
      throw BadRequest(`The chart holds a path that may leave it: ${entry.name.slice(0, 200)}`);
    const file = entry.kind === 'file' ? /^(?:\.\/)?[^/]+\/([^/]+)$/.exec(entry.name)?.[1] : undefined;
    if (file === 'Chart.yaml' && !info) info = parseChart((await entry.content(maxChart)).toString('utf8'));
    else if (file && readme === undefined && /^readme\.md$/i.test(file) && entry.size <= maxReadme)
      readme = (await entry.content(maxReadme)).toString('utf8');
  }
  if (!info) throw BadRequest('The chart has no Chart.yaml.');
  return { info, readme };
}

/** Text, lists and maps of text; everything else is left out. */
function plain(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (depth > maxDepth) throw BadRequest('The Chart.yaml is nested too deeply.');
  if (Array.isArray(value)) {
    if (value.length > maxList) throw BadRequest('The Chart.yaml has a list that is too long.');
    const list = value.map((one) => plain(one, depth + 1)).filter((one) => one !== undefined);
    return list.length > 0 ? list : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value).flatMap(([key, one]) => {
    const result = plain(one, depth + 1);
    return result === undefined || key === '__proto__' ? [] : [[key, result] as const];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Fields of an index by their kind; the order is that of the index. */
const texts = [
  'kubeVersion',
  'description',
  'type',
  'home',
  'icon',
  'appVersion',
  'tillerVersion',
  'engine',
  'condition',
  'tags',
];
const lists = ['keywords', 'sources'];
const records = ['maintainers', 'dependencies'];
const types = new Set(['', 'application', 'library']);

function parseChart(text: string): ChartInfo {
  const chart = parseYaml(text);
  if (!isJsonObject(chart)) throw BadRequest('The Chart.yaml is no map.');
  const one = (key: string) => (typeof chart[key] === 'string' ? chart[key].trim() : '');
  const [apiVersion, name, version] = [one('apiVersion'), one('name'), one('version')];
  if (!/^[A-Za-z0-9./-]{1,50}$/.test(apiVersion)) throw BadRequest('apiVersion is missing or invalid');
  if (!namePattern.test(name)) throw BadRequest('chart name is invalid');
  if (!parseSemver(version) && !tidySemver(version)) throw BadRequest('chart version is invalid');
  if (!types.has(one('type'))) throw BadRequest('chart type is invalid');
  const result: Record<string, unknown> = { apiVersion, name, version };
  for (const key of texts) if (one(key)) result[key] = one(key);
  for (const key of lists) {
    const list = plain(chart[key]);
    if (Array.isArray(list)) result[key] = list.filter((value) => typeof value === 'string');
  }
  for (const key of records) {
    const list = plain(chart[key]);
    if (Array.isArray(list)) result[key] = list.filter(isJsonObject);
  }
  const annotations = plain(chart.annotations);
  if (isJsonObject(annotations)) result.annotations = annotations;
  if (one('deprecated') === 'true') result.deprecated = true;
  return result as ChartInfo;
}

/** Block style, with all texts quoted as JSON has them. */
export function yamlOf(value: unknown, indent = ''): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []\n';
    return `\n${value.map((one) => `${indent}-${inItem(one, indent)}`).join('')}`;
  }
  if (isJsonObject(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) return ' {}\n';
    return `\n${entries.map(([key, one]) => `${indent}${keyOf(key)}:${yamlOf(one, `${indent}  `)}`).join('')}`;
  }
  return ` ${JSON.stringify(value)}\n`;
}

const keyOf = (key: string) => (/^[A-Za-z][\w.-]*$/.test(key) ? key : JSON.stringify(key));

/** The first field of a map stands beside the hyphen. */
function inItem(value: unknown, indent: string): string {
  const text = yamlOf(value, `${indent}  `);
  return isJsonObject(value) ? text.replace(new RegExp(`^\\n${indent}  `), ' ') : text;
}
