// Rules of our own, for oxlint (`.oxlintrc.json`).
import { literalText } from './literal-text.mjs';
import { plainNames } from './plain-names.mjs';
import { wholeContexts } from './whole-contexts.mjs';

export default {
  meta: { name: 'mortise' },
  rules: { 'literal-text': literalText, 'plain-names': plainNames, 'whole-contexts': wholeContexts },
};
