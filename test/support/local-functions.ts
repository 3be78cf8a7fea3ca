import { LocalFunctions, type LocalFunctionsOptions } from '../../local/functions/local-functions.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { handmadeStack, lambdaFunction } from './handmade-stack.ts';

/** Local functions for the tests of the calling file; whatever a test made is gone after it. */
export function useFunctions() {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });
  return {
    /** Called after the test, the last one first. */
    cleanUps,
    /** Functions made of their code, by name; `over` adds to the resource of each. */
    functions(
      code: Record<string, string>,
      over: Record<string, unknown> = {},
      options: Partial<LocalFunctionsOptions> = {},
    ): LocalFunctions {
      const made = handmadeStack({
        resource: {
          aws_lambda_function: Object.fromEntries(
            Object.entries(code).map(([name, text]) => [name, lambdaFunction(name, text, over)]),
          ),
        },
      });
      cleanUps.push(made.remove);
      const cloud = synthesizedCloud(made.stack);
      const local = new LocalFunctions(cloud.functions, {
        dynamoDbEndpoint: 'http://127.0.0.1:8000',
        ...options,
      });
      cleanUps.push(() => local.stop());
      return local;
    },
  };
}
