/**
 * Finds contexts of requests that are copied with a spread to change something: what a context makes when it is asked
 * for, such as the token of forms, does not come along.
 */

const contexts = new Set(['context', 'found', 'route']);
const changed = new Set(['query', 'payload', 'page']);

export const wholeContexts = {
  meta: {
    type: 'problem',
    docs: { description: 'Contexts of requests are changed with contextWith' },
    messages: { spread: 'Change the context of a request with contextWith.' },
    schema: [],
  },
  create: (context) => ({
    ObjectExpression(node) {
      const isContext = ({ type, argument }) => type === 'SpreadElement' && contexts.has(argument.name);
      const isChange = ({ type, key }) => type === 'Property' && changed.has(key.name);
      if (node.properties.some(isContext) && node.properties.some(isChange))
        context.report({ node, messageId: 'spread' });
    },
  }),
};
