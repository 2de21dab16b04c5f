import { Joi } from '@mortise/plugin-sdk';

interface Describable {
  readonly $_root: { assert: unknown };
  describe(): unknown;
}

const unchecked = (): void => undefined;
let isDone = false;

/**
 * From now on joi does not validate what `describe()` gives. It would do so for each part of a schema, and again for all
 * that contains the part: most of the time that the documents take.
 */
export function describeUnchecked(): void {
  if (isDone) return;
  isDone = true;
  const kinds = new Set(Object.values(Joi.types()).map((schema) => Object.getPrototypeOf(schema) as Describable));
  for (const kind of kinds) {
    const { describe } = kind;
    kind.describe = function (this: Describable) {
      const root = this.$_root;
      const { assert } = root;
      // it runs synchronously
      root.assert = unchecked;
      try {
        return describe.call(this);
      } finally {
        root.assert = assert;
      }
    };
  }
}
