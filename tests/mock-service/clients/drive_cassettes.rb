# Records the calls of calls.ndjson with Ruby's VCR: as YAML, as YAML with bodies in base64, and as JSON.
# Usage: ruby drive_cassettes.rb FOLDER NAME (yaml | json) (text | exact)

require "json"
require "net/http"
require "vcr"

folder, name, serializer, bodies = ARGV

VCR.configure do |config|
  config.cassette_library_dir = folder
  config.hook_into :webmock
  config.default_cassette_options = {
    serialize_with: serializer.to_sym,
    preserve_exact_body_bytes: bodies == "exact",
  }
end

VCR.use_cassette(name) do
  File.readlines(File.join(folder, "calls.ndjson")).each do |line|
    call = JSON.parse(line)
    uri = URI(call["url"])
    request = Net::HTTPGenericRequest.new(call["method"], true, true, uri, call["headers"])
    request.body = call["body"]
    Net::HTTP.start(uri.host, uri.port, nil) { |http| http.request(request) }
  end
end
