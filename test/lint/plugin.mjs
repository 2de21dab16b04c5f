// Rules of our own, for oxlint (`.oxlintrc.json`).
import { literalText } from './literal-text.mjs';
import { wholeContexts } from './whole-contexts.mjs';

export default { meta: { name: 'mortise' }, rules: { 'literal-text': literalText, 'whole-contexts': wholeContexts } };
