// Counts messages by role, and calls, of chat records in JSON lines: simdjson's On-Demand reader, as its documentation
// shows it. One line of standard input is one question, `parse FILE` or `load FILE`; the answer is a line of JSON.
//
//   parse  the file is in memory already, read once before: parsing alone
//   load   the file is read by padded_string::load first
//
// Argument: threads. With two, simdjson finds the marks of the next batch while it walks through this one.
#include <cstdint>
#include <iostream>
#include <string>
#include <simdjson.h>

using namespace simdjson;

struct Counts {
  uint64_t records = 0, user = 0, assistant = 0, tool = 0, calls = 0;

  void role(std::string_view name) {
    if (name == "user") user++;
    else if (name == "assistant") assistant++;
    else if (name == "tool") tool++;
  }
};

static Counts count(ondemand::parser &parser, const padded_string &json) {
  Counts counts;
  ondemand::document_stream records = parser.iterate_many(json);
  for (auto record : records) {
    counts.records++;
    for (ondemand::object message : record["messages"].get_array()) {
      for (auto field : message) {
        ondemand::raw_json_string key = field.key();
        if (key == "role") counts.role(field.value().get_string());
        else if (key == "tool_calls") {
          ondemand::array calls = field.value();
          counts.calls += calls.count_elements();
        }
      }
    }
  }
  if (records.truncated_bytes() > 0) throw simdjson_error(CAPACITY);
  return counts;
}

int main(int, char **arguments) {
  const bool threaded = std::string(arguments[1]) != "1";
  std::cout << "{\"version\":\"" << SIMDJSON_VERSION_MAJOR << '.' << SIMDJSON_VERSION_MINOR << '.'
            << SIMDJSON_VERSION_REVISION << ", " << get_active_implementation()->name() << "\"}" << std::endl;
  std::string kept;
  padded_string json;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const size_t blank = line.find(' ');
      const bool loads = line.substr(0, blank) == "load";
      const std::string path = line.substr(blank + 1);
      if (loads || kept != path) json = padded_string::load(path);
      kept = path;
      ondemand::parser parser;
      parser.threaded = threaded;
      const Counts found = count(parser, json);
      std::cout << "{\"numbers\":[" << found.records << ',' << found.user << ',' << found.assistant << ','
                << found.tool << ',' << found.calls << "]}" << std::endl;
    } catch (const std::exception &error) {
      std::cout << "{\"error\":\"" << error.what() << "\"}" << std::endl;
    }
  }
}
