declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  type Options = {
    spec: object;
    domNode: HTMLElement;
    validatorUrl: null;
    docExpansion: 'list' | 'full' | 'none';
    defaultModelsExpandDepth: number;
    displayRequestDuration: boolean;
    tryItOutEnabled: boolean;
    persistAuthorization: boolean;
    withCredentials: boolean;
  };
  export default function SwaggerUI(options: Options): unknown;
}
