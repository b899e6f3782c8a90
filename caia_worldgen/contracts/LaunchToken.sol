// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token of the launchpad: minted by a purchase on its curve and burnt by a sale.
contract LaunchToken is ERC20 {
    address public immutable launchpad;

    error NotLaunchpad();

    modifier onlyLaunchpad() {
        if (msg.sender != launchpad) revert NotLaunchpad();
        _;
    }

    constructor(string memory name_, string memory symbol_) ERC20(name_, symbol_) {
        launchpad = msg.sender;
    }

    function mint(address to, uint256 amount) external onlyLaunchpad {
        _mint(to, amount);
    }

    function burn(address from, uint256 amount) external onlyLaunchpad {
        _burn(from, amount);
    }
}
