import type { Route, RouteExamples } from '@mortise/plugin-sdk';
import type { Content, OpenApiDocument, Operation } from './shapes.js';

const json = 'application/json';

/** Puts the examples of routes beside the schemas, under the media type that the bodies have. */
export function withExamples(document: OpenApiDocument, routes: readonly Route[]): OpenApiDocument {
  const known = new Map(routes.flatMap(({ id, examples }) => (id && examples ? [[id, examples] as const] : [])));
  const extended = (operation: Operation): Operation => {
    const examples = known.get(operation.operationId ?? '');
    return examples ? withExamplesOf(operation, examples) : operation;
  };
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, extended(operation)])),
  ]);
  return { ...document, paths: Object.fromEntries(paths) as OpenApiDocument['paths'] };
}

function withExamplesOf(operation: Operation, { type = json, request, responses = {} }: RouteExamples): Operation {
  const content = (before: Content | undefined, example: unknown): Content => {
    const { schema } = before?.[type] ?? Object.values(before ?? {})[0] ?? {};
    // of a body that is read as bytes the schema says nothing
    return { [type]: { ...(schema && schema.type !== 'string' ? { schema } : {}), example } };
  };
  const answers = Object.entries(responses).map(([status, example]) => {
    const declared = operation.responses[status] ?? { description: '' };
    return [status, { ...declared, content: content(declared.content, example) }];
  });
  return {
    ...operation,
    ...(request === undefined
      ? {}
      : { requestBody: { ...operation.requestBody, content: content(operation.requestBody?.content, request) } }),
    responses: { ...operation.responses, ...(Object.fromEntries(answers) as Operation['responses']) },
  };
}
