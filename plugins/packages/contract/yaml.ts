import { BadRequest } from '@mortise/plugin-sdk';

/** What a reader of YAML tells of a node that it has read; an alias has no kind. */
export interface YamlNode {
  readonly kind: string | null;
  readonly result: unknown;
}

/**
 * A listener for `load` of js-yaml that bounds what aliases stand for: little YAML can mean gigabytes once it is written
 * out. Characters of texts and keys count, and each value as one; throws {@link BadRequest} beyond `max` in sum.
 */
export function yamlAliasBudget(max: number): (event: 'open' | 'close', node: YamlNode) => void {
  let left = max;
  const spend = (value: unknown): void => {
    left -= typeof value === 'string' ? value.length + 1 : 1;
    if (left < 0) throw BadRequest('The YAML repeats too much by aliases.');
    if (typeof value !== 'object' || value === null) return;
    for (const [key, one] of Object.entries(value)) {
      left -= key.length;
      spend(one);
    }
  };
  return (event, { kind, result }) => {
    if (event === 'close' && kind === null) spend(result);
  };
}
