/** The parts of the documents that this module touches; everything else passes through. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly items?: Schema;
  /** Of a reference that may be null. */
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly type?: string;
  readonly schema?: Schema;
}

/** Bodies by media type. */
export type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

interface RequestBody {
  readonly $ref?: string;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description?: string;
        readonly schema?: Schema;
        readonly content?: Content;
      }
    >
  >;
}

export interface SwaggerDocument {
  swagger: string;
  basePath: string;
  host?: string;
  info: { title: string; version: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
  definitions?: Record<string, Schema>;
  securityDefinitions?: Record<string, unknown>;
  security?: Record<string, string[]>[];
  tags?: { name: string; description?: string }[];
}

export interface OpenApiDocument {
  openapi: string;
  /** What the paths are below. */
  servers?: { url: string }[];
  info: { title: string; version: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
  components?: {
    schemas?: Record<string, Schema>;
    securitySchemes?: Record<string, unknown>;
    requestBodies?: Record<string, RequestBody>;
  };
}
