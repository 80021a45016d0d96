# Makes a Python client of an OpenAPI document, calls each route by it once with what the document shows as the answer, and once more with an error.
# Prints how many calls were read; ends with the first that was not.
import importlib, inspect, json, os, pathlib, subprocess, sys
import httpx
from openapi_python_client.strings import PythonIdentifier
document_file, folder = sys.argv[1:]
tools = str(pathlib.Path(sys.executable).parent)
package = pathlib.Path(folder, 'generated')
command = [f'{tools}/openapi-python-client', 'generate', '--path', document_file, '--output-path', package, '--meta', 'none']
path = os.pathsep.join([tools, os.environ['PATH']])
output = subprocess.run(command, env={**os.environ, 'PATH': path}, capture_output=True, text=True)
if output.returncode: sys.exit(output.stdout + output.stderr)
sys.path.insert(0, folder)
from generated import AuthenticatedClient
document = json.load(open(document_file))
problem = {'type': '/problems/not-found', 'title': 'Not found', 'status': 404, 'detail': 'x'}
of_registry = {**problem, 'error_code': 40401, 'message': 'x'}
REGISTRY = 'application/vnd.schemaregistry.v1+json'

def sample(schema):
    """The least value that a schema takes."""
    if '$ref' in schema: return sample(document['components']['schemas'][schema['$ref'].split('/')[-1]])
    if 'anyOf' in schema: return sample(schema['anyOf'][0])
    if 'enum' in schema: return schema['enum'][0]
    kind = schema.get('type', 'string')
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == 'object': return {name: sample(schema['properties'][name]) for name in schema.get('required', [])}
    if kind == 'array': return [sample(schema['items'])]
    if kind == 'string': return '2026-01-01T00:00:00Z' if schema.get('format') == 'date-time' else 'x'
    return {'integer': 1, 'number': 1.5, 'boolean': True}[kind]

def argument(name, parameter, operation):
    if name != 'body': return 'x'
    return parameter.annotation.from_dict(sample(operation['requestBody']['content']['application/json']['schema']))

def call(function, operation, status, media, answer):
    def handle(request):
        content = answer if isinstance(answer, str) else json.dumps(answer)
        return httpx.Response(status, headers={'content-type': media}, content=content)
    client = AuthenticatedClient('http://x', 'key', httpx_args={'transport': httpx.MockTransport(handle)})
    needed = {name: parameter for name, parameter in inspect.signature(function).parameters.items()
              if name == 'body' or parameter.default is inspect.Parameter.empty}
    needed.pop('client', None)
    arguments = {name: argument(name, parameter, operation) for name, parameter in needed.items()}
    try:
        return function(client=client, **arguments)
    except Exception as error:
        sys.exit(f'{operation["operationId"]} {status} {media}: {error!r} {str(answer)[:300]}')

called = 0
for route, methods in document['paths'].items():
    for method, operation in methods.items():
        names = [PythonIdentifier(operation[key] if key == 'operationId' else operation[key][0], '') for key in ('tags', 'operationId')]
        module = importlib.import_module('generated.api.' + '.'.join(names))
        status, response = next((int(s), r) for s, r in operation['responses'].items() if s.startswith('2'))
        for media, content in response.get('content', {'': {}}).items():
            answer = content.get('example', '')
            if media == '*/*' or ('json' in media and answer == ''): continue
            found = call(module.sync_detailed, operation, status, media or 'text/plain', answer)
            if 'json' in media and found.parsed is None: sys.exit(f'{method} {route}: the answer is not read')
            called += 1
        errors = [('application/problem+json', problem)]
        if route.startswith('/registry'): errors.append((REGISTRY, of_registry))
        for media, body in errors:
            found = call(module.sync_detailed, operation, 404, media, body)
            if found.parsed is None or found.parsed.detail != 'x': sys.exit(f'{method} {route}: the error is not read')
            called += 1
print(called)
