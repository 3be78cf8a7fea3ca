/** The package ships no types. */
declare module 'asl-validator' {
  interface ValidationError {
    readonly Message: string;
    readonly 'Error code': string;
  }
  export default function validate(definition: object): {
    readonly isValid: boolean;
    readonly errors: readonly ValidationError[];
  };
}
