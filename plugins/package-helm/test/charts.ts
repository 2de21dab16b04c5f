import { tgz } from '@mortise/packages/testing';

/** A chart with these lines in its Chart.yaml besides the usual ones; undefined leaves one out. */
export function chart(fields: Readonly<Record<string, string | undefined>> = {}, more = ''): Buffer {
  const all = { apiVersion: 'v2', name: 'tool', version: '1.0.0', description: 'a chart', ...fields };
  const lines = Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}\n`]));
  return tgz({
    'tool/Chart.yaml': lines.join('') + more,
    'tool/values.yaml': 'a: 1\n',
    'tool/README.md': '# The tool\n',
  });
}
