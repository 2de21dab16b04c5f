declare module 'swagger2openapi' {
  const converter: {
    convertObj(document: object, options: { patch?: boolean; warnOnly?: boolean }): Promise<{ openapi: object }>;
  };
  export default converter;
}
